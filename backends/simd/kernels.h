// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backends/cpu/cpu_kernel.h"

namespace infer {

// Returns the kernels of the target `simd`; none if no level was chosen (ChosenLevel() says why).
std::span<const CpuKernel> SimdKernels();

}  // namespace infer
