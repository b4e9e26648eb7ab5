// SPDX-License-Identifier: Apache-2.0
//
// The objects of the responses API: an answer is a list of items (a thought, a message, calls).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/base/json.h"
#include "tools/serve/api/answer.h"
#include "tools/serve/api/generation_request.h"

namespace infer::serve {

// What a response repeats of its request. The conversation, which may be large, is not repeated.
GenerationRequest EchoedRequest(const GenerationRequest& request);

Json LogprobsItem(const std::vector<LogprobEntry>& entries);
Json ThoughtPart(const std::string& text);
Json TextPart(const std::string& text, const std::vector<LogprobEntry>& logprobs);

// Finished items.
Json ThoughtItem(const Answer& answer, const std::string& text);
Json MessageItem(const Answer& answer, const std::string& text,
                 const std::vector<LogprobEntry>& logprobs);
Json CallItem(const Answer& answer, size_t index, const std::string& arguments,
              std::string_view status);

// The response around the items: before its end, and after it.
Json ResponseObject(const GenerationRequest& echoed, const Answer& answer, std::string_view status,
                    Json output);
Json FinishedResponse(const GenerationRequest& echoed, const Answer& answer, Json output);

}  // namespace infer::serve
