// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "ir/graph/graph.h"
#include "ir/graph/plan.h"
#include "ir/program/program.h"
#include "runtime/kernel_registry.h"

namespace infer {

// Whether the kernel that the Program names is here, works, runs this node, is what the node's
// placement says of it and has its workspace. A stored Program may come from another build.
absl::Status CheckKernel(const Node& node, const Step& step, const KernelRegistry& registry,
                         const SymbolRanges& symbols, uint64_t planned_scratch);

// CheckKernel of every step, before anything is done for a Program: weights are packed as its
// kernels want them.
absl::Status CheckKernels(const Program& program, const KernelRegistry& registry);

// Whether a value or a kernel's workspace is larger for a longer context.
bool DependsOnContext(const Graph& graph, const KernelRegistry& registry);

}  // namespace infer
