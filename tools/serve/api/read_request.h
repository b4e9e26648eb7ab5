// SPDX-License-Identifier: Apache-2.0
//
// Reads the requests of each API. Errors are Statuses with the path of the value that is wrong.
#pragma once

#include "absl/status/statusor.h"
#include "ir/base/json.h"
#include "tools/serve/api/generation_request.h"

namespace infer::serve {

absl::StatusOr<GenerationRequest> ReadChatRequest(const Json& body);
absl::StatusOr<GenerationRequest> ReadCompletionRequest(const Json& body);
absl::StatusOr<GenerationRequest> ReadResponsesRequest(const Json& body);
// `needs_max_tokens`: a request for an answer, and not for a count of its tokens.
absl::StatusOr<GenerationRequest> ReadMessagesRequest(const Json& body, bool needs_max_tokens);

// Reads {"type": "json_schema", ...} of the APIs that have it. `schema_holder` is the member that
// holds name and schema; null: the format itself.
absl::Status ReadOutputFormat(const Json& value, std::string_view path, const char* schema_holder,
                              GenerationRequest* request);

// Checks what no single parameter can.
absl::Status CheckRequest(const GenerationRequest& request);

}  // namespace infer::serve
