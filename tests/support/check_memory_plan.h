// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace infer::testing {

// What is wrong with the memory plan of a planned graph; empty: nothing. Shares nothing with the
// planner or the verifier: who reads a value when is taken from the graph, every pair of values is
// compared, and the lifetimes that the plan states must cover what was found.
std::string MemoryPlanError(const Graph& graph);

}  // namespace infer::testing
