// SPDX-License-Identifier: Apache-2.0
//
// Formats what a tool prints about its flags.
#pragma once

#include <cstddef>
#include <string>

#include "tools/cli/flags.h"
#include "tools/cli/text_columns.h"

namespace infer {

// Returns usage, modes, flags by section with defaults, notes and examples, of the chosen mode if
// there is one, in lines of at most `columns` where words allow it.
std::string HelpText(const Flags& flags, size_t columns = kTextColumns);

// Returns the text of `--print-config`: for each flag a line with name, effective value and origin.
std::string ConfigText(const Flags& flags);

}  // namespace infer
