// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph/graph.h"
#include "ir/policy/policy.h"
#include "ir/program/kernel_catalog.h"

namespace infer {

// Each regime has its own plan; a policy that needs more of them has thresholds that cannot all
// have been measured.
inline constexpr size_t kMaxRegimes = 16;

// Returns the intervals of T, ascending and covering the graph's range, on each of which every node
// that legalize and place-nodes will make of the graph gets the same rule, target and kernel. They
// are maximal: neighbours differ in some node. `graph` is at stage bound, after the passes that run
// once.
absl::StatusOr<std::vector<Range>> CutRegimes(const Graph& graph, const Policy& policy,
                                              const KernelCatalog& catalog);

}  // namespace infer
