// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer {

// Alphabetical by name, which FindOp's binary search needs; a test checks it.
std::span<const OpDef* const> AllOps() {
  static constexpr const OpDef* kOps[] = {
      &ops::kAdd,           &ops::kAddScalar,     &ops::kArgmax,        &ops::kAttention,
      &ops::kAttnMask,      &ops::kBroadcastRows, &ops::kConcatColumns, &ops::kCopy,
      &ops::kEmbed,         &ops::kGatherRows,    &ops::kInput,         &ops::kKvRead,
      &ops::kKvState,       &ops::kKvWrite,       &ops::kLinear,        &ops::kMatmul,
      &ops::kMul,           &ops::kReshape,       &ops::kRmsNorm,       &ops::kRope,
      &ops::kRowSumSquares, &ops::kRsqrt,         &ops::kScale,         &ops::kSelectRows,
      &ops::kSilu,          &ops::kSliceColumns,  &ops::kSoftmax,       &ops::kTranspose,
      &ops::kWeight,
  };
  return kOps;
}

}  // namespace infer
