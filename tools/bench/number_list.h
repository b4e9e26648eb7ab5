// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace infer {

// Parses the numbers of a grid, in llama-bench's syntax: comma-separated parts, each a number, a
// range `first-last`, or a range with a step, `first-last+step` or `first-last*factor`. Each text
// is one use of `flag`. Returns a usage error that names the flag if a text has another form, if a
// number is below `lowest`, or if there are more than a thousand numbers.
absl::StatusOr<std::vector<int64_t>> ParseNumberList(std::string_view flag,
                                                     const std::vector<std::string>& texts,
                                                     int64_t lowest);

}  // namespace infer
