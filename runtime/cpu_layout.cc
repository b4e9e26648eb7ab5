// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu_layout.h"

#include <algorithm>

#include "ir/graph/common_memory.h"
#include "runtime/shared_ranks.h"

namespace infer {

CpuLayout::CpuLayout(const Program& program) {
  for (const Regime& regime : program.regimes) {
    const Plan& plan = *regime.graph.plan();
    const uint64_t bytes = CommonBytes(plan, regime.graph.nodes());
    common = std::max(common, bytes);
    for (const Arena& arena : plan.arenas) {
      if (arena.space == Device::kCpu) own = std::max(own, arena.bytes - bytes);
    }
  }
  constexpr uint64_t kWhole = SharedRanks::kCommonAlignment;
  common = (common + kWhole - 1) / kWhole * kWhole;
}

uint64_t CpuLayout::BeginOf(const Graph& graph) const {
  return common - CommonBytes(*graph.plan(), graph.nodes());
}

}  // namespace infer
