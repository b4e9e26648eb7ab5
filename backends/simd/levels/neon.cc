// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/isa/cpu_features.h"
#include "backends/simd/levels/level_parts.h"
#include "backends/simd/levels/levels.h"

INFER_SIMD_DECLARE_LEVEL(neon)
namespace infer::simd::neon {
const LinearKernel* SimpleRowLinear(DType weight);
const LinearKernel* KRowLinear(DType weight);
}  // namespace infer::simd::neon

namespace infer::simd {
namespace {

bool RunsHere() { return true; }

const LinearKernel* Linear(DType weight) {
  if (const LinearKernel* kernel = neon::PlainRowLinear(weight)) return kernel;
  if (const LinearKernel* kernel = neon::SimpleRowLinear(weight)) return kernel;
  return neon::KRowLinear(weight);
}

}  // namespace

constinit const Level kNeonLevel = {
    .name = "neon",
    .needs = "asimd",
    .runs_here = RunsHere,
    .vector = &neon::kVectorKernels,
    .attention = neon::PlainAttention,
    .makers = neon::kRowMakers,
    .linear = Linear,
    .linear_float = neon::RowLinearFloat,
};

}  // namespace infer::simd
