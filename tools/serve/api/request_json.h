// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/base/json.h"

namespace infer::serve {

// Parses the body of a request, which must be a JSON object. Refuses nesting deeper than
// kMaxJsonDepth before parsing.
absl::StatusOr<Json> ParseBody(std::string_view body);

// Returns "a string", "an object", for errors.
std::string_view KindOfJson(const Json& value);

// Returns a short text of the value for errors.
std::string ShownJson(const Json& value);

}  // namespace infer::serve
