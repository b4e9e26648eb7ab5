// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/value_type.h"

#include <gtest/gtest.h>

#include <limits>

namespace infer {
namespace {

TEST(ValueType, PrintsEachKind) {
  EXPECT_EQ(ToString(ValueType::F32({Symbol::kT, 1024})), "f32[T,1024]");
  EXPECT_EQ(ToString(ValueType::Batch()), "batch");
  EXPECT_EQ(ToString(ValueType::Kv(DType::kF16, 8, 128)), "kv<f16[8,128]>");
}

TEST(ValueType, KindsDiffer) {
  EXPECT_NE(ValueType::Kv(DType::kF16, 8, 128), ValueType::Tensor(DType::kF16, {8, 128}));
  EXPECT_FALSE(ValueType::Kv(DType::kF32, 8, 128).is_tensor(DType::kF32));
}

TEST(BytesAt, BindsSymbolsAndNeedsWholeBlocks) {
  TensorType rows = {DType::kF32, {Symbol::kT, 10}};
  EXPECT_EQ(BytesAt(rows, {.t = 3}), 120u);
  EXPECT_EQ(BytesAt({DType::kQ8_0, {4, 64}}, {}), 4u * 2 * 34);
  // 32 elements in all, but no row is a whole block.
  EXPECT_EQ(BytesAt({DType::kQ8_0, {2, 16}}, {}), std::nullopt);
}

TEST(BytesAt, OverflowIsNoSize) {
  int64_t big = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(BytesAt({DType::kF32, {big, big, big}}, {}), std::nullopt);
}

TEST(CountBytes, FollowsTheSymbols) {
  EXPECT_EQ(CountBytes(ValueType::Tensor(DType::kQ8_0, {Symbol::kT, 64})),
            (SymbolicCount{.ct = 68}));
  EXPECT_EQ(CountBytes(ValueType::Batch()), SymbolicCount{});
  EXPECT_EQ(CountBytes(ValueType::Kv(DType::kF16, 2, 64)), SymbolicCount{});
}

}  // namespace
}  // namespace infer
