// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "ir/graph/graph.h"
#include "ir/program/program.h"
#include "runtime/kernel_registry.h"

namespace infer {

struct Step;

// Checks that the kernel that the Program names exists here, works, can run this node, matches what
// the node's placement records about it, and has enough workspace. A stored Program may come from
// another build.
absl::Status CheckKernel(const Node& node, const Step& step, const KernelRegistry& registry,
                         const SymbolRanges& symbols, uint64_t planned_scratch);

// Runs CheckKernel on every step. Must come before any other preparation of a Program, because
// weights are packed the way its kernels expect them.
absl::Status CheckKernels(const Program& program, const KernelRegistry& registry);

// Whether any value or workspace grows with the length of the context.
bool DependsOnContext(const Graph& graph, const KernelRegistry& registry);

}  // namespace infer
