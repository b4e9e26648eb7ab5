// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph/graph.h"
#include "ir/policy/policy.h"
#include "ir/program/kernel_catalog.h"

namespace infer {

// Each regime is a plan of its own; a policy that needs more of them has thresholds that nobody can
// have measured one by one.
inline constexpr size_t kMaxRegimes = 16;

// The intervals of T, ascending and covering the graph's range, on each of which every node that
// legalize and place-nodes will make of the graph gets the same rule, target and kernel. Maximal:
// neighbours differ in some node. `graph` is at stage bound, as the passes that run once left it.
absl::StatusOr<std::vector<Range>> CutRegimes(const Graph& graph, const Policy& policy,
                                              const KernelCatalog& catalog);

}  // namespace infer
