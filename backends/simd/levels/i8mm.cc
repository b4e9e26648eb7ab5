// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/i8mm/attention_paths.h"
#include "backends/simd/i8mm/float_activations.h"
#include "backends/simd/i8mm/float_kernels.h"
#include "backends/simd/i8mm/int8_kernels.h"
#include "backends/simd/isa/cpu_features.h"
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
      return i8mm::PlainRowLinear(weight);
    case DType::kF16:
      return &i8mm::kLinearF16;
    case DType::kBF16:
      return &i8mm::kLinearBf16;
    case DType::kQ4_K:
      return &i8mm::kLinearQ4_K;
    case DType::kQ6_K:
      return &i8mm::kLinearQ6_K;
    default:
      return i8mm::QuantLinear(weight);
  }
}

const LinearKernel* LinearTiles(DType weight) {
  switch (weight) {
    case DType::kQ4_K:
      return &i8mm::kTilesQ4_K;
    case DType::kQ6_K:
      return &i8mm::kTilesQ6_K;
    default:
      return nullptr;
  }
}

const AttentionKernels* Attention(DType cache) {
  const AttentionKernels* half = i8mm::FastAttention(cache);
  return half == nullptr ? i8mm::PlainAttention(cache) : half;
}

const AttentionKernels* AttentionInvariant(DType cache) {
  const AttentionKernels* tiles = i8mm::InvariantAttention(cache);
  return tiles == nullptr ? i8mm::PlainAttention(cache) : tiles;
}

// In the order of ActivationForm.
const ActivationMaker kMakers[kNumActivationForms] = {{},
                                                      i8mm::kInt8RowsMaker,
                                                      i8mm::kInt8PairsMaker,
                                                      i8mm::kInt8StreamsMaker,
                                                      i8mm::kInt8TilesMaker,
                                                      i8mm::kBf16TilesMaker};

}  // namespace

constinit const Level kI8mmLevel = {
    .name = "i8mm",
    .needs = "asimddp i8mm bf16 asimdhp asimdfhm",
    .runs_here = RunsHere,
    .vector = &i8mm::kVectorKernels,
    .attention = Attention,
    .attention_invariant = AttentionInvariant,
    .makers = kMakers,
    .linear = Linear,
    .linear_tiles = LinearTiles,
    .linear_float = i8mm::FloatLinear,
};

}  // namespace infer::simd
