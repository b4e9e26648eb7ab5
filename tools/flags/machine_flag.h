// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/cli/flags.h"

namespace infer {

// Registers --machine in the current section.
void RegisterMachine(Flags& flags, std::string* path);

}  // namespace infer
