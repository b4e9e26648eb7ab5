// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "ir/base/json.h"
#include "tools/serve/api/generation_request.h"

namespace infer::serve {

// Reads the messages of a chat completion.
absl::Status ReadMessages(const Json& value, std::string_view path, GenerationRequest* request);

}  // namespace infer::serve
