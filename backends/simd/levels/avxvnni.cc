// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/isa/cpu_features.h"
#include "backends/simd/levels/level_parts.h"
#include "backends/simd/levels/levels.h"

INFER_SIMD_DECLARE_LEVEL(avx2)
INFER_SIMD_DECLARE_PANELS(avxvnni)

namespace infer::simd {
namespace {

bool RunsHere() { return kAvx2Level.runs_here() && HostCpuFeatures().avx_vnni; }

}  // namespace

// Only its products differ from those of avx2.
constinit const Level kAvxVnniLevel = {
    .name = "avxvnni",
    .needs = "avx2 fma f16c avx_vnni",
    .runs_here = RunsHere,
    .vector = &avx2::kVectorKernels,
    .attention = avx2::PlainAttention,
    .makers = avx2::kRowMakers,
    .linear = avxvnni::PanelLinear,
    .linear_float = avx2::RowLinearFloat,
};

}  // namespace infer::simd
