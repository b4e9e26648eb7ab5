// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace infer::test {

// Returns what is wrong with the memory plan of a planned graph, or an empty string. Shares no code
// with the planner or the verifier: it derives the readers of each value from the graph, compares
// every pair of values, and requires the lifetimes stated in the plan to cover what it found.
std::string MemoryPlanError(const Graph& graph);

}  // namespace infer::test
