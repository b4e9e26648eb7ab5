// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/chat/chat_renderer.h"
#include "frontends/family/model_family.h"
#include "frontends/tokenizer/tokenizer.h"
#include "tools/run/conversation.h"
#include "tools/run/run_options.h"

namespace infer {

// A conversation as the model reads it.
struct ChatPrompt {
  std::string text;  // for -vv
  std::vector<int32_t> ids;
  std::string answer_start;  // text of the prompt that belongs to the answer: "<think>\n"
  bool thought_is_open() const { return !answer_start.empty(); }
};

// Turns conversations into token ids. `family` and `tokenizer` must outlive it.
class ConversationRenderer {
 public:
  // `template_text` may be empty; `tools` are JSON texts. Errors name `template_path`, if the
  // template comes from a file of its own.
  ConversationRenderer(std::string_view template_text, const ModelFamily* family,
                       const Tokenizer* tokenizer, std::vector<std::string> tools = {},
                       std::string template_path = "")
      : chat_(template_text, family->chat, tokenizer->vocabulary()),
        family_(family),
        tokenizer_(tokenizer),
        tools_(std::move(tools)),
        template_path_(std::move(template_path)) {}

  absl::StatusOr<ChatPrompt> Render(const Conversation& conversation, ThinkMode think) const;

  // Returns what the user should know: a template that could not be used, thinking or tools that
  // it does not know.
  std::vector<std::string> Warnings(ThinkMode think) const;
  const std::vector<std::string>& tools() const { return tools_; }
  bool calls_are_xml() const { return chat_.calls_are_xml(); }

 private:
  ChatRenderer chat_;
  const ModelFamily* family_;
  const Tokenizer* tokenizer_;
  std::vector<std::string> tools_;
  std::string template_path_;
};

struct FittedPrompt {
  ChatPrompt prompt;
  int64_t dropped_turns = 0;
};

// Returns the prompt of `conversation`. If less than an eighth of the context would be left for the
// answer, the oldest turns are removed from the conversation until a third is: the cache then helps
// for several turns before the next removal. The system message and the last turn always stay;
// returns kResourceExhausted if they do not fit.
absl::StatusOr<FittedPrompt> FitPrompt(const ConversationRenderer& renderer, ThinkMode think,
                                       int64_t context, int64_t max_tokens,
                                       Conversation* conversation);

// Returns a shorter prompt for an answer that has filled the context with `answered` tokens so far:
// the oldest turns are removed until a quarter of the context is free again. Returns nothing if
// there is no other turn to remove, or what is left cannot be rendered or is still too long.
std::optional<FittedPrompt> ShortenPrompt(const ConversationRenderer& renderer, ThinkMode think,
                                          int64_t context, int64_t answered,
                                          Conversation* conversation);

}  // namespace infer
