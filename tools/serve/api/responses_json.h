// SPDX-License-Identifier: Apache-2.0
//
// The objects of the responses API: an answer is a list of items (a thought, a message, calls).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/serve/api/answer.h"
#include "tools/serve/api/generation_request.h"

namespace infer::serve {

// What a response repeats of its request. The conversation, which may be large, is not repeated.
GenerationRequest EchoedRequest(const GenerationRequest& request);

nlohmann::ordered_json LogprobsItem(const std::vector<LogprobEntry>& entries);
nlohmann::ordered_json ThoughtPart(const std::string& text);
nlohmann::ordered_json TextPart(const std::string& text, const std::vector<LogprobEntry>& logprobs);

// Finished items.
nlohmann::ordered_json ThoughtItem(const Answer& answer, const std::string& text);
nlohmann::ordered_json MessageItem(const Answer& answer, const std::string& text,
                                   const std::vector<LogprobEntry>& logprobs);
nlohmann::ordered_json CallItem(const Answer& answer, size_t index, const std::string& arguments,
                                std::string_view status);

// The response around the items: before its end, and after it.
nlohmann::ordered_json ResponseObject(const GenerationRequest& echoed, const Answer& answer,
                                      std::string_view status, nlohmann::ordered_json output);
nlohmann::ordered_json FinishedResponse(const GenerationRequest& echoed, const Answer& answer,
                                        nlohmann::ordered_json output);

}  // namespace infer::serve
