// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace infer {

// The width that text is formatted for where nothing says otherwise; longer lines are hard to read.
inline constexpr size_t kTextColumns = 100;

// Returns the width for text written to this descriptor: that of its terminal, between 40 columns
// and kTextColumns, or kTextColumns if it is not a terminal.
size_t TextColumns(int fd);

// The same for a terminal of this width; 0 if it does not tell.
size_t TextColumnsOf(size_t terminal_columns);

}  // namespace infer
