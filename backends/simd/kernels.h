// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backends/cpu/cpu_kernel.h"

namespace infer {

// The kernels of the target `simd`. None if no level was chosen: ChosenLevel() has the reason.
std::span<const CpuKernel> SimdKernels();

}  // namespace infer
