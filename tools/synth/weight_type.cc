// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/weight_type.h"

#include <iterator>
#include <vector>

#include "tools/synth/random_blocks.h"

namespace infer {
namespace {

constexpr WeightType kMixes[] = {
    {"q3_k_m", DType::kQ3_K, WeightMix::kQ3_K_M, 12},
    {"q4_k_m", DType::kQ4_K, WeightMix::kQ4_K_M, 15},
    {"q5_k_m", DType::kQ5_K, WeightMix::kQ5_K_M, 17},
};

// Returns whether the layer gets the larger type: the first and last eighth of the layers, and
// every third one between.
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

std::span<const WeightType> AllWeightTypes() {
  static const std::vector<WeightType> kTypes = [] {
    std::vector<WeightType> types;
    for (const auto& [dtype, file_type] : RandomTypes()) {
      types.push_back({Name(dtype), dtype, WeightMix::kPure, file_type});
    }
    types.insert(types.end(), std::begin(kMixes), std::end(kMixes));
    return types;
  }();
  return kTypes;
}

std::optional<WeightType> FindWeightType(std::string_view name) {
  for (const WeightType& type : AllWeightTypes()) {
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
