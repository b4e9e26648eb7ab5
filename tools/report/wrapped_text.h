// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace infer {

// The terminal width that reports are formatted for: 100 unless a program sets another one at its
// start.
size_t ReportColumns();
void SetReportColumns(size_t columns);

// Appends "label  text", broken at spaces before the last column. Later lines are indented to
// `margin`, where the text also starts if the label leaves room.
void AppendWrapped(std::string* out, std::string_view label, size_t margin, std::string_view text);

}  // namespace infer
