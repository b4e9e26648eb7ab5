// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/isa/cpu_features.h"
#include "backends/simd/levels/level_parts.h"
#include "backends/simd/levels/levels.h"

INFER_SIMD_DECLARE_LEVEL(dotprod)

namespace infer::simd {
namespace {

bool RunsHere() { return HostCpuFeatures().dotprod; }

}  // namespace

constinit const Level kDotprodLevel = {
    .name = "dotprod",
    .needs = "asimddp",
    .runs_here = RunsHere,
    .vector = &dotprod::kVectorKernels,
    .attention = dotprod::PlainAttention,
    .makers = dotprod::kRowMakers,
    .linear = dotprod::RowLinear,
    .linear_float = dotprod::RowLinearFloat,
};

}  // namespace infer::simd
