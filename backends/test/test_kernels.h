// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backends/cpu/cpu_kernel.h"

namespace infer {

// Returns the kernels of `scalar` under the names of the target `test`.
std::span<const CpuKernel> TestKernels();

}  // namespace infer
