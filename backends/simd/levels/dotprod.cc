// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/isa/cpu_features.h"
#include "backends/simd/levels/level_parts.h"
#include "backends/simd/levels/levels.h"

INFER_SIMD_DECLARE_LEVEL(dotprod)
INFER_SIMD_DECLARE_PANELS(dotprod)

namespace infer::simd {
namespace {

bool RunsHere() { return HostCpuFeatures().dotprod; }

// Rows of floats are dot products as they are: panels would need a broadcast for each product.
const LinearKernel* Linear(DType weight) {
  const LinearKernel* quants = dotprod::QuantPanelLinear(weight);
  return quants == nullptr ? dotprod::PlainRowLinear(weight) : quants;
}

}  // namespace

constinit const Level kDotprodLevel = {
    .name = "dotprod",
    .needs = "asimddp",
    .runs_here = RunsHere,
    .vector = &dotprod::kVectorKernels,
    .attention = dotprod::PlainAttention,
    .makers = dotprod::kRowMakers,
    .linear = Linear,
    .linear_float = dotprod::RowLinearFloat,
};

}  // namespace infer::simd
