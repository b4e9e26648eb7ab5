// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace infer {

// Returns the lines of a text, without their ends. A line end at the end of the text begins no
// further line; an empty line is an empty text.
std::vector<std::string> TextLines(std::string_view text);

// Returns the texts of lines that each hold a JSON string or an object with a member "text". Empty
// lines are left out. Errors name the line.
absl::StatusOr<std::vector<std::string>> JsonLines(std::string_view text);

}  // namespace infer
