// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ir/program/program.h"
#include "tools/api/memory_estimate.h"
#include "tools/compile/invariant_cost.h"
#include "tools/compile/rank_cost.h"

namespace infer {

// Facts about a compilation that the Program does not hold.
struct CompileReport {
  int64_t layer_nodes_imported = 0;  // see NodesPerLayer
  int64_t layer_nodes_fused = 0;     // after the passes that run once
  double compile_ms = 0;
  std::vector<InvariantCost> invariant_costs;
  std::vector<RankCost> rank_costs;
  std::string threads_from;  // how the number of threads of the memory estimate was chosen
};

// Returns the number of nodes that most layers execute; 0 for a graph without layers.
int64_t NodesPerLayer(const Graph& graph);

// Returns what infer-compile prints: nodes per layer, the table of regimes, work, memory.
std::string SummaryText(const Program& program, const MemoryEstimate& memory,
                        const CompileReport& report);
std::string SummaryJson(const Program& program, const MemoryEstimate& memory,
                        const CompileReport& report);

}  // namespace infer
