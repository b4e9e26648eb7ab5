// SPDX-License-Identifier: Apache-2.0
//
// Formats what a tool prints about its flags.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/cli/flags.h"
#include "tools/cli/text_columns.h"

namespace infer {

// Appends `text` word by word, of which `column` are already used, in lines of at most `columns`;
// later lines begin at `indent`.
void AppendWords(std::string* out, std::string_view text, size_t column, size_t indent,
                 size_t columns);

// Appends a row of a table of two columns, the right one from `right_column` on.
void AppendTableRow(std::string* out, std::string_view left, std::string_view right,
                    size_t right_column, size_t columns);

// Returns usage, modes, flags by section with defaults, notes and examples, of the chosen mode if
// there is one, in lines of at most `columns` where words allow it.
std::string HelpText(const Flags& flags, size_t columns = kTextColumns);

// Returns the text of `--print-config`: for each flag a line with name, effective value and origin.
std::string ConfigText(const Flags& flags);

}  // namespace infer
