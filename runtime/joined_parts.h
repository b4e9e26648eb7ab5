// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/graph/graph.h"
#include "runtime/kernel_registry.h"

namespace infer {

// A step that can write a rank's part of its results to the place where the collective of a later
// step joins it with those of the other ranks (ir/graph/common_memory.h).
struct JoinedPart {
  size_t computed;  // step numbers in the plan
  size_t joined;
  // True: a rank's rows of all results, in their order, of which the collective copies those that
  // it rounds. False: its columns of one result.
  bool is_rows = false;
  int result = 0;  // of the columns
};

// Returns those of a planned graph: the kernels can do so, nothing else reads the part, and the
// plan keeps the memory free from that step on.
std::vector<JoinedPart> FindJoinedParts(const Graph& graph, const KernelRegistry& registry);

// Rows begin to end - 1.
struct RowShare {
  int64_t begin = 0;
  int64_t end = 0;
};

// The rows of a value that a rank computes where ranks share them.
constexpr RowShare RowsOfRank(int64_t rows, int64_t rank, int64_t ranks) {
  return {rows * rank / ranks, rows * (rank + 1) / ranks};
}

}  // namespace infer
