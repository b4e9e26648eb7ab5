// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backends/cpu/cpu_kernel.h"

namespace infer {

// Returns the kernels of the target `scalar`: one for every primitive op, and one per weight or
// cache type for ops that read a weight or a cache. Composite ops have none; they run by
// decomposition.
std::span<const CpuKernel> ScalarKernels();

}  // namespace infer
