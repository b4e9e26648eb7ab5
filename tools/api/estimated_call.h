// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/graph/shape.h"
#include "ir/program/program.h"
#include "passes/estimate.h"

namespace infer {

// Returns the estimate of a call; zero if the Program has no machine description or does not run
// calls of so many tokens. As a whole: also where the call runs as two halves.
CallEstimate EstimatedCall(const Program& program, const SymbolValues& at, bool as_a_whole = false);

// Its time in nanoseconds.
double EstimatedCallNs(const Program& program, const SymbolValues& at);

}  // namespace infer
