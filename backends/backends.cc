// SPDX-License-Identifier: Apache-2.0
#include "backends/backends.h"

#include <span>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "backends/scalar/kernels.h"
#include "backends/simd/kernels.h"
#include "backends/simd/level.h"
#include "backends/simd/linear.h"

namespace infer {

std::unique_ptr<KernelRegistry> MakeKernelRegistry() {
  const std::span<const CpuKernel> tables[] = {ScalarKernels(), SimdKernels()};
  const simd::LevelChoice& choice = simd::ChosenLevel();
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::make_unique<CpuBackend>(tables, simd::WeightLayouts(),
                                                  choice.level ? "" : choice.reason));
  return std::make_unique<KernelRegistry>(std::move(backends));
}

}  // namespace infer
