// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/cpu_features.h"
#include "backends/simd/levels/level_parts.h"
#include "backends/simd/levels/levels.h"

INFER_SIMD_DECLARE_LEVEL(i8mm)

namespace infer::simd {
namespace {

bool RunsHere() {
  const CpuFeatures& cpu = HostCpuFeatures();
  return cpu.dotprod && cpu.i8mm && cpu.bf16 && cpu.fp16 && cpu.fp16fml;
}

}  // namespace

constinit const Level kI8mmLevel = {
    .name = "i8mm",
    .needs = "asimddp i8mm bf16 asimdhp asimdfhm",
    .runs_here = RunsHere,
    .vector = &i8mm::kVectorKernels,
    .attention = nullptr,
    .makers = nullptr,
    .linear = nullptr,
    .linear_float = nullptr,
};

}  // namespace infer::simd
