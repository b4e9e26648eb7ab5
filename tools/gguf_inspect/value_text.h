// SPDX-License-Identifier: Apache-2.0
//
// Formats metadata values for people and for programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/gguf/value.h"
#include "ir/base/json.h"

namespace infer {

// Keeps UTF-8; control characters, which could drive a terminal, and invalid bytes become \xNN.
std::string EscapedText(std::string_view text);

std::string TypeText(const GgufValue& value);  // "u32", "array of 3 string"

// Returns one line, with long text and arrays cut off. `file` is for messages.
absl::StatusOr<std::string> ValueLine(std::string_view file, const GgufValue& value);
// Returns everything: text as it is, an array with one element per line.
absl::StatusOr<std::string> ValueInFull(std::string_view file, const GgufValue& value);

// Includes at most `max_elements` of each array.
absl::StatusOr<Json> ValueJson(std::string_view file, const GgufValue& value,
                               uint64_t max_elements);

}  // namespace infer
