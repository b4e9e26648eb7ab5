// SPDX-License-Identifier: Apache-2.0
//
// A product as the launches of linear ops see it, and what stream, few-row and tile launches share.
#pragma once

#include <span>
#include <vector>

#include "backends/cuda/launch.h"
#include "backends/cuda/weight_types.h"

namespace infer::cuda {

inline constexpr int64_t kMultiprocessors = 132;  // of a large card

// A product with what comes before and after it.
struct Product {
  TensorView x;
  absl::InlinedVector<TensorView, kMaxParts> weights;
  absl::InlinedVector<TensorView, kMaxParts> results;  // one if gated
  const float* norm = nullptr;
  float eps = 0;
  const float* residual = nullptr;
  bool gated = false;      // the weights are gate and up
  bool invariant = false;  // a row has the same bits whatever the number of rows
  std::byte* workspace = nullptr;

  int64_t tokens() const { return x.rows(); }
  int64_t columns() const { return x.columns(); }
};

inline uint64_t Aligned(uint64_t bytes) { return (bytes + 15) / 16 * 16; }
inline uint64_t FloatBytes(int64_t rows, int64_t columns) {
  return Aligned(static_cast<uint64_t>(rows) * static_cast<uint64_t>(columns) * sizeof(float));
}

// Bytes of x rounded to int8, with its scales and sums.
inline uint64_t Int8Bytes(int64_t tokens, int64_t columns) {
  return static_cast<uint64_t>(tokens * (columns + columns / 8 + columns / 4));
}

// Parts with weights of one type.
struct Parts {
  PartArgs parts[kMaxParts] = {};
  uint32_t count = 0;
  uint32_t blocks = 0;

  void Add(const WeightType& type, const TensorView& weight, const TensorView& result,
           int64_t outputs_of_block) {
    PartArgs& part = parts[count++];
    part.weight = WeightArgsOf(type, weight.data, weight.rows(), weight.columns());
    part.out = result.mutable_f32();
    part.rows = static_cast<uint32_t>(weight.rows());
    part.first_block = blocks;
    blocks += CeilDiv(weight.rows(), outputs_of_block);
  }
};

// The weights of a type together, in groups that fit into one launch.
template <class F>
void ForEachGroup(const Product& product, F add) {
  for (const WeightType& type : kWeightTypes) {
    absl::InlinedVector<int, kMaxParts> group;
    for (int i = 0; i < static_cast<int>(product.weights.size()); ++i) {
      if (product.weights[i].dtype != type.dtype) continue;
      group.push_back(i);
      if (group.size() == kMaxParts) {
        add(type, group);
        group.clear();
      }
    }
    if (!group.empty()) add(type, group);
  }
}

inline Parts PartsOf(const WeightType& type, const Product& product, std::span<const int> group,
                     int64_t outputs_of_block) {
  Parts parts;
  for (int i : group) {
    parts.Add(type, product.weights[i], product.results[i], outputs_of_block);
  }
  return parts;
}

}  // namespace infer::cuda
