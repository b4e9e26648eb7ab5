// SPDX-License-Identifier: Apache-2.0
#include "tools/run/chat_prompt.h"

#include <algorithm>
#include <utility>

#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {

absl::StatusOr<ChatPrompt> ConversationRenderer::Render(const Conversation& conversation,
                                                        ThinkMode think) const {
  ChatOptions options;
  options.enable_thinking = think != ThinkMode::kOff;
  options.tools = tools_;
  absl::StatusOr<MarkedText> rendered = chat_.Render(conversation.messages(), options);
  if (!rendered.ok() && !template_path_.empty()) {
    return absl::Status(rendered.status().code(),
                        StrCat(template_path_, ": ", ToStd(rendered.status().message())));
  }
  ASSIGN_OR_RETURN(MarkedText text, std::move(rendered));
  const std::string_view start = family_->chat.thought_start;
  // Templates of models that always think open the thought themselves.
  const bool is_open = !start.empty() && text.text().ends_with(start);
  if (think == ThinkMode::kOn && !is_open) text.AppendTrusted(start);
  ChatPrompt prompt;
  if (think == ThinkMode::kOn || is_open) prompt.answer_start = start;
  ASSIGN_OR_RETURN(prompt.ids, tokenizer_->EncodeMarked(text));
  prompt.text = text.text();
  return prompt;
}

std::vector<std::string> ConversationRenderer::Warnings(ThinkMode think) const {
  std::vector<std::string> warnings;
  if (!chat_.warning().empty()) warnings.push_back(chat_.warning());
  if (think == ThinkMode::kOff && !chat_.knows_thinking()) {
    warnings.push_back("the chat template has no switch for thinking; --reasoning has no effect");
  }
  if (!tools_.empty() && !chat_.knows_tools()) {
    warnings.push_back("the chat template does not know tools, so the model is not told of them");
  }
  return warnings;
}

absl::StatusOr<FittedPrompt> FitPrompt(const ConversationRenderer& renderer, ThinkMode think,
                                       int64_t context, int64_t max_tokens,
                                       Conversation* conversation) {
  const auto answer = [&](int64_t share) {
    return max_tokens < 0 ? share : std::min(max_tokens, share);
  };
  FittedPrompt fitted;
  ASSIGN_OR_RETURN(fitted.prompt, renderer.Render(*conversation, think));
  if (std::ssize(fitted.prompt.ids) + answer(context / 8) > context) {
    while (std::ssize(fitted.prompt.ids) + answer(context / 3) > context &&
           conversation->DropOldestTurn()) {
      ++fitted.dropped_turns;
      ASSIGN_OR_RETURN(fitted.prompt, renderer.Render(*conversation, think));
    }
  }
  const int64_t tokens = std::ssize(fitted.prompt.ids);
  if (tokens < context) return fitted;
  return WithAdvice(
      absl::ResourceExhaustedError(
          StrCat("the message takes ", tokens, " tokens with the chat format and system message, ",
                 "and the context holds ", context, "; shorten it or use a larger context")),
      {Advice::kContext});
}

std::optional<FittedPrompt> ShortenPrompt(const ConversationRenderer& renderer, ThinkMode think,
                                          int64_t context, int64_t answered,
                                          Conversation* conversation) {
  Conversation shorter = *conversation;
  FittedPrompt fitted;
  bool fits = false;
  while (!fits && shorter.DropOldestTurn()) {
    ++fitted.dropped_turns;
    absl::StatusOr<ChatPrompt> prompt = renderer.Render(shorter, think);
    if (!prompt.ok()) return std::nullopt;
    fitted.prompt = *std::move(prompt);
    fits = std::ssize(fitted.prompt.ids) + answered + context / 4 <= context;
  }
  const bool is_shorter =
      fitted.dropped_turns > 0 && std::ssize(fitted.prompt.ids) + answered < context;
  if (!is_shorter) return std::nullopt;
  *conversation = std::move(shorter);
  return fitted;
}

}  // namespace infer
