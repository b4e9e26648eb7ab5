// SPDX-License-Identifier: Apache-2.0
//
// What a tool prints about its flags.
#pragma once

#include <string>

#include "tools/cli/flags.h"

namespace infer {

// Usage, modes, flags by section with defaults, notes, examples. Of the chosen mode if there is
// one.
std::string HelpText(const Flags& flags);

// `--print-config`: one line for each flag: name, effective value, where it comes from.
std::string ConfigText(const Flags& flags);

}  // namespace infer
