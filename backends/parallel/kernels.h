// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backends/cpu/cpu_kernel.h"

namespace infer {

// The kernels of the target `parallel`: those of `simd` under names of their own. It has no
// arithmetic of its own; what differs is that a team of threads shares out the units.
std::span<const CpuKernel> ParallelKernels();

}  // namespace infer
