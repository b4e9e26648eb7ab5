// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/graph/shape.h"
#include "ir/program/program.h"
#include "passes/estimate.h"

namespace infer {

// Returns the estimate of a call; zero if the Program has no machine description or does not run
// calls of so many tokens.
CallEstimate EstimatedCall(const Program& program, const SymbolValues& at);

// Its time in nanoseconds.
double EstimatedCallNs(const Program& program, const SymbolValues& at);

}  // namespace infer
