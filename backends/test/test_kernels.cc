// SPDX-License-Identifier: Apache-2.0
#include "backends/test/test_kernels.h"

#include "backends/cpu/renamed_kernels.h"
#include "backends/scalar/kernels.h"

namespace infer {

std::span<const CpuKernel> TestKernels() {
  static const RenamedKernels table(ScalarKernels(), Target::kTest);
  return table.kernels();
}

}  // namespace infer
