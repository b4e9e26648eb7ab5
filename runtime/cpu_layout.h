// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ir/graph/graph.h"
#include "ir/program/program.h"

namespace infer {

// How the regimes of a Program use the cpu's memory of a call. They need different amounts of the
// memory that ranks have in common (ir/graph/common_memory.h), which must be whole pages: in each,
// it ends at `common`, and the rest of its arena begins there.
struct CpuLayout {
  uint64_t common = 0;
  uint64_t own = 0;
  uint64_t hash = 0;  // of where the results of collectives lie, and of their types

  explicit CpuLayout(const Program& program);
  // Where the arena of a regime's graph begins.
  uint64_t BeginOf(const Graph& graph) const;
};

}  // namespace infer
