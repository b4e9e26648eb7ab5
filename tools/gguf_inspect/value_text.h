// SPDX-License-Identifier: Apache-2.0
//
// Metadata values for people and for programs.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/gguf/value.h"

namespace infer {

// UTF-8 stays; control characters, which could drive a terminal, and broken bytes become \xNN.
std::string TerminalText(std::string_view text);

std::string TypeText(const GgufValue& value);  // "u32", "array of 3 string"

// One line; of long text and arrays only the beginning. `file` is for messages.
absl::StatusOr<std::string> ValueLine(std::string_view file, const GgufValue& value);
// Everything: text as it is, an array one element a line.
absl::StatusOr<std::string> ValueInFull(std::string_view file, const GgufValue& value);

// At most `max_elements` of each array.
absl::StatusOr<nlohmann::json> ValueJson(std::string_view file, const GgufValue& value,
                                         uint64_t max_elements);
// JSON text. Bytes that are no UTF-8 become U+FFFD.
std::string JsonText(const nlohmann::json& json);

}  // namespace infer
