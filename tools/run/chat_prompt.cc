// SPDX-License-Identifier: Apache-2.0
#include "tools/run/chat_prompt.h"

#include <algorithm>
#include <utility>

#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {

absl::StatusOr<ChatPrompt> ChatRenderer::Render(const Conversation& conversation,
                                                ThinkMode think) const {
  ChatOptions options;
  options.enable_thinking = think != ThinkMode::kOff;
  ChatPrompt prompt;
  ASSIGN_OR_RETURN(prompt.text, family_->chat.render(conversation.messages(), options));
  if (think == ThinkMode::kOn) {
    prompt.answer_start = family_->chat.thought_start;
    prompt.text += prompt.answer_start;
  }
  ASSIGN_OR_RETURN(prompt.ids, tokenizer_->Encode(prompt.text));
  return prompt;
}

absl::StatusOr<FittedPrompt> FitPrompt(const ChatRenderer& renderer, ThinkMode think,
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

}  // namespace infer
