// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace infer::serve {

// Parses the body of a request, which must be a JSON object. Refuses nesting deeper than
// kMaxJsonDepth, or with more members than kMaxJsonMembers, before parsing.
absl::StatusOr<nlohmann::ordered_json> ParseBody(std::string_view body);

// Returns "a string", "an object", for errors.
std::string_view KindOfJson(const nlohmann::ordered_json& value);

// Returns a short text of the value for errors.
std::string ShownJson(const nlohmann::ordered_json& value);

// Writes JSON text, with invalid UTF-8 replaced.
std::string JsonText(const nlohmann::ordered_json& value);

}  // namespace infer::serve
