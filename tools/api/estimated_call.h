// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/graph/shape.h"
#include "ir/program/program.h"

namespace infer {

// Returns the estimated time of a call in nanoseconds; 0 if the Program has no machine description
// or does not run calls of so many tokens.
double EstimatedCallNs(const Program& program, const SymbolValues& at);

}  // namespace infer
