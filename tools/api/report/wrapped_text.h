// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace infer {

// Reports are made for terminals of this width.
inline constexpr size_t kReportColumns = 100;

// Appends "label  text", broken at spaces before the last column. What follows the first line is
// indented to `margin`, where the text begins if the label leaves room.
void AppendWrapped(std::string* out, std::string_view label, size_t margin, std::string_view text);

}  // namespace infer
