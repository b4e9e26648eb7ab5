// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/weight_type.h"

namespace infer {
namespace {

constexpr WeightType kTypes[] = {
    {"f32", DType::kF32, WeightMix::kPure, 0},
    {"f16", DType::kF16, WeightMix::kPure, 1},
    {"bf16", DType::kBF16, WeightMix::kPure, 32},
    {"q8_0", DType::kQ8_0, WeightMix::kPure, 7},
    {"q4_0", DType::kQ4_0, WeightMix::kPure, 2},
    {"q4_1", DType::kQ4_1, WeightMix::kPure, 3},
    {"q5_0", DType::kQ5_0, WeightMix::kPure, 8},
    {"q5_1", DType::kQ5_1, WeightMix::kPure, 9},
    {"q2_k", DType::kQ2_K, WeightMix::kPure, 10},
    {"q3_k", DType::kQ3_K, WeightMix::kPure, 11},
    {"q4_k", DType::kQ4_K, WeightMix::kPure, 14},
    {"q5_k", DType::kQ5_K, WeightMix::kPure, 16},
    {"q6_k", DType::kQ6_K, WeightMix::kPure, 18},
    {"iq4_nl", DType::kIQ4_NL, WeightMix::kPure, 25},
    {"iq4_xs", DType::kIQ4_XS, WeightMix::kPure, 30},
    {"mxfp4", DType::kMXFP4, WeightMix::kPure, 38},
    {"q3_k_m", DType::kQ3_K, WeightMix::kQ3_K_M, 12},
    {"q4_k_m", DType::kQ4_K, WeightMix::kQ4_K_M, 15},
    {"q5_k_m", DType::kQ5_K, WeightMix::kQ5_K_M, 17},
};

// The first and last eighth of the layers, and every third one between.
bool LiftsLayer(uint32_t layer, uint32_t layers) {
  const uint32_t eighth = layers / 8;
  return layer < eighth || layer >= 7 * layers / 8 || (layer - eighth) % 3 == 2;
}

DType Q3KMDType(MatrixRole role, uint32_t layer, uint32_t layers) {
  switch (role) {
    case MatrixRole::kAttentionV:
      return layer < 2 ? DType::kQ5_K : DType::kQ4_K;
    case MatrixRole::kFfnDown:
      return layer < layers / 16 ? DType::kQ5_K : DType::kQ4_K;
    case MatrixRole::kAttentionOutput:
      return DType::kQ4_K;
    default:
      return DType::kQ3_K;
  }
}

}  // namespace

std::span<const WeightType> AllWeightTypes() { return kTypes; }

std::optional<WeightType> FindWeightType(std::string_view name) {
  for (const WeightType& type : kTypes) {
    if (type.name == name) return type;
  }
  return std::nullopt;
}

DType MatrixDType(const WeightType& type, MatrixRole role, uint32_t layer, uint32_t layers,
                  bool tied) {
  if (type.mix == WeightMix::kPure) return type.dtype;
  if (role == MatrixRole::kOutput || (role == MatrixRole::kToken && tied)) return DType::kQ6_K;
  if (type.mix == WeightMix::kQ3_K_M) return Q3KMDType(role, layer, layers);
  const bool liftable = role == MatrixRole::kAttentionV || role == MatrixRole::kFfnDown;
  return liftable && LiftsLayer(layer, layers) ? DType::kQ6_K : type.dtype;
}

}  // namespace infer
