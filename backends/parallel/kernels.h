// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backends/cpu/cpu_kernel.h"

namespace infer {

// Returns the kernels of the target `parallel`: those of `simd` under their own names. The
// arithmetic is the same; the difference is that a team of threads shares the units.
std::span<const CpuKernel> ParallelKernels();

}  // namespace infer
