// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/graph/graph.h"
#include "ir/policy/machine.h"
#include "passes/estimate.h"

namespace infer {

// Estimates a call of a graph with a plan that runs as two halves which take turns, as HalvedCalls
// runs it. The rows of logits belong to the second half, as those of a prompt do.
CallEstimate EstimateHalves(const Graph& graph, const MachineDescription& machine,
                            const SymbolValues& at);

}  // namespace infer
