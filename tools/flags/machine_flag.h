// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/cli/flags.h"

namespace infer {

// --machine, in the section that is open.
void RegisterMachine(Flags& flags, std::string* path);

}  // namespace infer
