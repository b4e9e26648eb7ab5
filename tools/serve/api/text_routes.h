// SPDX-License-Identifier: Apache-2.0
//
// Requests about text that need no run of the model.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "ir/base/json.h"
#include "tools/serve/api/served_model.h"

namespace infer::serve {

// {"content": "..."} (or prompt, or messages) -> {"tokens": [...], "count": n, ...}
absl::StatusOr<std::string> Tokenize(const Json& body, const ServedModel& model);
// {"tokens": [...]} -> {"content": "..."}
absl::StatusOr<std::string> Detokenize(const Json& body, const ServedModel& model);
// A chat request -> {"prompt": "..."}
absl::StatusOr<std::string> ApplyTemplate(const Json& body, const ServedModel& model);
// A messages request -> {"input_tokens": n}
absl::StatusOr<std::string> CountTokens(const Json& body, const ServedModel& model);

}  // namespace infer::serve
