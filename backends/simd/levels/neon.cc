// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/isa/cpu_features.h"
#include "backends/simd/levels/level_parts.h"
#include "backends/simd/levels/levels.h"

INFER_SIMD_DECLARE_LEVEL(neon)

namespace infer::simd {
namespace {

bool RunsHere() { return true; }

}  // namespace

constinit const Level kNeonLevel = {
    .name = "neon",
    .needs = "asimd",
    .runs_here = RunsHere,
    .vector = &neon::kVectorKernels,
    .attention = neon::PlainAttention,
    .makers = neon::kRowMakers,
    .linear = neon::RowLinear,
    .linear_float = neon::RowLinearFloat,
};

}  // namespace infer::simd
