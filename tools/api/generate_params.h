// SPDX-License-Identifier: Apache-2.0
//
// What the parameters of a generation mean for a model, for one sequence and for many requests.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/generation.h"
#include "tools/api/answer_rules.h"
#include "tools/api/handles.h"

namespace infer::engine {

// Returns the options of the generation loop, without drafts and constraint.
absl::StatusOr<GenerationOptions> OptionsFor(const GenerateParams& params, const ModelHandle& model,
                                             bool is_chat);

// Returns what the text must keep to; null if that is nothing.
absl::StatusOr<std::shared_ptr<const AnswerRules>> RulesFor(const GenerateParams& params,
                                                            const ModelHandle& model, bool is_chat);

// Returns a whole answer as the next turn of the conversation.
ChatTurn TurnOf(std::string_view text, bool thought_is_open, const std::vector<std::string>& tools);

absl::Status CheckIds(const std::vector<int32_t>& ids, int64_t vocabulary);

// A conversation as the prompt of its next answer.
struct ChatPrompt {
  std::vector<int32_t> ids;
  std::string_view text_start;  // of the answer, if the template opened a thought itself
};
absl::StatusOr<ChatPrompt> PromptFor(const ModelHandle& model,
                                     const std::vector<ChatTurn>& messages,
                                     const GenerateParams& params);

}  // namespace infer::engine
