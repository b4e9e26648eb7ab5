// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/cpu_features.h"
#include "backends/simd/i8mm/attention_paths.h"
#include "backends/simd/i8mm/float_activations.h"
#include "backends/simd/i8mm/float_kernels.h"
#include "backends/simd/levels/level_parts.h"
#include "backends/simd/levels/levels.h"

INFER_SIMD_DECLARE_LEVEL(i8mm)

namespace infer::simd {
namespace {

bool RunsHere() {
  const CpuFeatures& cpu = HostCpuFeatures();
  return cpu.dotprod && cpu.i8mm && cpu.bf16 && cpu.fp16 && cpu.fp16fml;
}

const LinearKernel* Linear(DType weight) {
  switch (weight) {
    case DType::kF32:
      return &i8mm::kLinearF32;
    case DType::kF16:
      return &i8mm::kLinearF16;
    case DType::kBF16:
      return &i8mm::kLinearBf16;
    default:
      return i8mm::RowLinear(weight);
  }
}

// In the order of ActivationForm.
const ActivationMaker kMakers[kNumActivationForms] = {
    {}, i8mm::kF16RowsMaker, i8mm::kInt8RowsMaker, {}, i8mm::kBf16TilesMaker};

}  // namespace

constinit const Level kI8mmLevel = {
    .name = "i8mm",
    .needs = "asimddp i8mm bf16 asimdhp asimdfhm",
    .runs_here = RunsHere,
    .vector = &i8mm::kVectorKernels,
    .attention = &i8mm::kAttention,
    .makers = kMakers,
    .linear = Linear,
    .linear_float = i8mm::FloatLinear,
};

}  // namespace infer::simd
