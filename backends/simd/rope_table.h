// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "backends/simd/isa/vector_kernels.h"
#include "ir/graph/graph.h"

namespace infer::simd {

// Largest head whose sines and cosines fit on the stack of a kernel.
inline constexpr int64_t kMaxRopeHeadDim = 1024;

// The rotation of a node: how far each pair turns from one position to the next. Angles of the
// first few models of a process are kept, since each costs a power (3 us for a head of 128, where
// sines and cosines of one position cost 0.3 us); those of others are computed anew.
class RopeTable {
 public:
  RopeTable(std::span<const Attr> rope_attrs, int64_t head_dim);

  // Sines and cosines of `position`; valid until the next call.
  const RopeRow& At(int32_t position);

 private:
  const float* angles_ = nullptr;
  float magnitude_ = 1.0f;
  RopeRow row_;
  float own_angles_[kMaxRopeHeadDim / 2];
  float cosine_[kMaxRopeHeadDim / 2];
  float sine_[kMaxRopeHeadDim / 2];
};

}  // namespace infer::simd
