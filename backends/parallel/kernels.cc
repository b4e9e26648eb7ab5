// SPDX-License-Identifier: Apache-2.0
#include "backends/parallel/kernels.h"

#include "backends/cpu/renamed_kernels.h"
#include "backends/simd/kernels.h"

namespace infer {

std::span<const CpuKernel> ParallelKernels() {
  static const RenamedKernels table(SimdKernels(), Target::kParallel);
  return table.kernels();
}

}  // namespace infer
