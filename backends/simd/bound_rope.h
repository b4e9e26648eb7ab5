// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/simd/isa/vector_kernels.h"
#include "ir/graph/graph.h"

namespace infer::simd {

// Size of the largest head whose sines and cosines fit on a kernel's stack.
inline constexpr int64_t kMaxRopeHeadDim = 1024;

// The rotation of a node, computed when the node is bound: how far each pair turns from one
// position to the next. An angle needs a power (3 us for a head of 128), the sines and cosines of
// one position take 0.3 us.
struct BoundRope {
  BoundRope(std::span<const Attr> rope_attrs, int64_t head_dim);

  const VectorKernels* vector;
  void (*rotate)(const float* x, const RopeRow& row, float* out);  // one head
  float magnitude = 1.0f;
  std::vector<float> angles;  // one for each pair
};

// Binds an op whose last attributes, from `first_attr` on, describe a rotation of the heads of its
// result `result`.
template <int first_attr, int result>
std::shared_ptr<const void> BindRope(const Node& node) {
  return std::make_shared<BoundRope>(node.attrs().subspan(first_attr),
                                     node.result(result).type.dim(2).value());
}

// Holds the sines and cosines of one position at a time, on the stack of a kernel.
class RopeRows {
 public:
  explicit RopeRows(const BoundRope& rope) : rope_(rope) {
    row_ = {.cosine = cosine_, .sine = sine_, .half = static_cast<int64_t>(rope.angles.size())};
  }

  // Valid until the next call.
  const RopeRow& At(int32_t position) {
    rope_.vector->sin_cos(rope_.angles.data(), position, rope_.magnitude, row_.half, cosine_,
                          sine_);
    return row_;
  }

 private:
  const BoundRope& rope_;
  RopeRow row_;
  float cosine_[kMaxRopeHeadDim / 2];
  float sine_[kMaxRopeHeadDim / 2];
};

}  // namespace infer::simd
