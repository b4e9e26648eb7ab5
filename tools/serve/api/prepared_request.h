// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/serving/token_request.h"
#include "tools/serve/api/generation_request.h"
#include "tools/serve/api/served_model.h"

namespace infer::serve {

// A request in token ids, with what is needed to read its answers.
struct PreparedRequest {
  std::vector<TokenRequest> token_requests = {};  // one for each prompt
  std::vector<std::string> stop = {};
  std::vector<std::string> tools = {};  // JSON texts; empty: calls are text
  bool is_chat = false;                 // answers have thoughts and calls
  bool thought_is_open = false;         // the prompt ended with <think>
  bool one_call = false;                // an answer ends after its first call
  int32_t choices = 1;                  // of each prompt
  bool has_unbound_tools = false;       // whose schemas cannot be enforced
};

// Renders, tokenizes and compiles what the request needs. Takes long for large requests.
absl::StatusOr<PreparedRequest> Prepare(const GenerationRequest& request, const ServedModel& model);

// Returns the rendered prompt of a chat.
absl::StatusOr<MarkedText> RenderPrompt(const GenerationRequest& request, const ServedModel& model);

// Returns the tokens with which the conversation will go on after `answer`, as far as they do not
// depend on what comes next. Templates drop the thoughts of earlier answers, so these differ from
// the tokens of the prompt and the answer.
absl::StatusOr<std::vector<int32_t>> HistoryTokens(const GenerationRequest& request,
                                                   const ChatMessage& answer,
                                                   const ServedModel& model);

}  // namespace infer::serve
