// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/isa/cpu_features.h"
#include "backends/simd/levels/level_parts.h"
#include "backends/simd/levels/levels.h"

INFER_SIMD_DECLARE_LEVEL(avx2)
INFER_SIMD_DECLARE_PANELS(avx2)

namespace infer::simd {
namespace {

bool RunsHere() {
  const CpuFeatures& cpu = HostCpuFeatures();
  return cpu.avx2 && cpu.fma && cpu.f16c;
}

}  // namespace

constinit const Level kAvx2Level = {
    .name = "avx2",
    .needs = "avx2 fma f16c",
    .runs_here = RunsHere,
    .vector = &avx2::kVectorKernels,
    .attention = avx2::PlainAttention,
    .makers = avx2::kRowMakers,
    .linear = avx2::PanelLinear,
    .linear_float = avx2::RowLinearFloat,
};

}  // namespace infer::simd
