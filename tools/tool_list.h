// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tools/cli/tool.h"

namespace infer {

// Returns every tool of this build, in the order in which `infer` lists them.
std::span<const Tool* const> AllTools();

}  // namespace infer
