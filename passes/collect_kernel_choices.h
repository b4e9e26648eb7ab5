// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "ir/program/kernel_catalog.h"
#include "ir/program/program.h"

namespace infer {

// Records what `catalog` has for the nodes of the Program's regimes, and for the parts of composite
// ones: the kernels of every target with their row limits.
absl::Status CollectKernelChoices(const KernelCatalog& catalog, Program* program);

// Returns everything by which kernels, decompositions and estimates can distinguish two nodes.
std::string KindText(const Node& node);

}  // namespace infer
