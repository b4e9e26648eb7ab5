// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ir/graph/graph.h"
#include "runtime/kernel_registry.h"

namespace infer {

// A step that can write a rank's columns to the place where the collective of a later step joins
// them with those of the other ranks (ir/graph/common_memory.h).
struct JoinedColumns {
  size_t computed;  // step numbers in the plan
  int result;
  size_t joined;
};

// Returns those of a planned graph: both kernels can work with rows that lie apart, nothing else
// reads the columns, and the plan keeps the memory free from that step on.
std::vector<JoinedColumns> FindJoinedColumns(const Graph& graph, const KernelRegistry& registry);

}  // namespace infer
