// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
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
};

// Turns conversations into token ids: the only place that knows the chat format. `family` and
// `tokenizer` must outlive it.
class ChatRenderer {
 public:
  ChatRenderer(const ModelFamily* family, const Tokenizer* tokenizer)
      : family_(family), tokenizer_(tokenizer) {}

  absl::StatusOr<ChatPrompt> Render(const Conversation& conversation, ThinkMode think) const;

 private:
  const ModelFamily* family_;
  const Tokenizer* tokenizer_;
};

struct FittedPrompt {
  ChatPrompt prompt;
  int64_t dropped_turns = 0;
};

// Returns the prompt of `conversation`. If less than an eighth of the context would be left for the
// answer, the oldest turns are removed from the conversation until a third is: the cache then helps
// for several turns before the next removal. The system message and the last turn always stay;
// returns kResourceExhausted if they do not fit.
absl::StatusOr<FittedPrompt> FitPrompt(const ChatRenderer& renderer, ThinkMode think,
                                       int64_t context, int64_t max_tokens,
                                       Conversation* conversation);

}  // namespace infer
