// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/isa/cpu_features.h"
#include "backends/simd/levels/level_parts.h"
#include "backends/simd/levels/levels.h"

INFER_SIMD_DECLARE_LEVEL(avx512)
INFER_SIMD_DECLARE_PANELS(avx512)

namespace infer::simd {
namespace {

bool RunsHere() {
  return kAvx2Level.runs_here() && HostCpuFeatures().avx512 && HostCpuFeatures().avx512_vnni;
}

}  // namespace

constinit const Level kAvx512Level = {
    .name = "avx512",
    .needs = "avx512f avx512bw avx512vl avx512dq avx512_vnni",
    .runs_here = RunsHere,
    .vector = &avx512::kVectorKernels,
    .attention = avx512::PlainAttention,
    .makers = avx512::kRowMakers,
    .linear = avx512::PanelLinear,
    .linear_float = avx512::RowLinearFloat,
};

}  // namespace infer::simd
