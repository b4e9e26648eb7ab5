// SPDX-License-Identifier: Apache-2.0
#include "ir/op_def.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/ops.h"
#include "ir/strings.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const OpDef& op, const Types& inputs, std::vector<Attr> attrs = {}) {
  absl::StatusOr<Types> types = CheckAndInfer({op, inputs, attrs, {}});
  return types.ok() ? "" : std::string(types.status().message());
}

TEST(OpDef, IsFoundByNameAlone) {
  for (const OpDef* op : AllOps()) EXPECT_EQ(FindOp(op->name), op);
  EXPECT_EQ(FindOp(""), nullptr);
  EXPECT_EQ(FindOp("lienar"), nullptr);
  EXPECT_EQ(FindOp("zzz"), nullptr);
}

TEST(CheckAndInfer, RefusesWrongCountsAndKinds) {
  ValueType x = ValueType::F32({2, 3});
  EXPECT_EQ(ErrorOf(ops::kAdd, {x, x}), "");
  EXPECT_THAT(ErrorOf(ops::kAdd, {x}), HasSubstr("add: has 1 inputs, expected 2"));
  EXPECT_THAT(ErrorOf(ops::kAdd, {x, x, x}), HasSubstr("add: has 3 inputs, expected 2"));
  EXPECT_THAT(ErrorOf(ops::kConcatColumns, {}), HasSubstr("has 0 inputs, expected at least 1"));
  EXPECT_EQ(ErrorOf(ops::kConcatColumns, {x, x, x}), "");
  EXPECT_THAT(ErrorOf(ops::kAdd, {x, ValueType::Batch()}),
              HasSubstr("input 1 (y) is batch, expected a tensor"));
  EXPECT_THAT(ErrorOf(ops::kScale, {x}, {}), HasSubstr("0 attributes, expected 1"));
  EXPECT_THAT(ErrorOf(ops::kScale, {x}, {true}), HasSubstr("factor is of kind bool"));
}

TEST(InferBroadcast, TakesEqualShapesAndVectorsOnly) {
  ValueType x = ValueType::F32({Symbol::kT, 3});
  EXPECT_EQ(ErrorOf(ops::kMul, {x, ValueType::F32({3})}), "");
  EXPECT_THAT(ErrorOf(ops::kMul, {x, ValueType::F32({4})}), HasSubstr("cannot combine"));
  EXPECT_THAT(ErrorOf(ops::kMul, {ValueType::F32({3}), x}), HasSubstr("cannot combine"));
  EXPECT_THAT(ErrorOf(ops::kMul, {x, ValueType::Tensor(DType::kF16, {3})}), HasSubstr("f32"));
  ValueType scalar = ValueType::F32({});
  EXPECT_THAT(ErrorOf(ops::kMul, {scalar, ValueType::F32({3})}), HasSubstr("cannot combine"));
}

// x / sqrt(mean(x*x)) over the last axis: a lone vector has no row axis to take the mean over.
TEST(RmsNorm, NeedsRowsAsItsDecompositionDoes) {
  ValueType vector = ValueType::F32({8});
  EXPECT_THAT(ErrorOf(ops::kRmsNorm, {vector, vector}, {1e-6}), HasSubstr("rows"));
}

// Kernels index the batch's arrays, which have T entries, by row, and write S scores a row: a graph
// file that lies about these shapes must not get as far as them.
TEST(OpsThatReadTheBatch, NeedARowForEachToken) {
  ValueType batch = ValueType::Batch();
  ValueType kv = ValueType::Kv(DType::kF16, 1, 4);
  ValueType static_rows = ValueType::F32({64, 1, 4});
  std::vector<Attr> rope = {1e4, 1.0, 0.0, 1.0, 32.0, 1.0, int64_t{0}};
  EXPECT_THAT(ErrorOf(ops::kRope, {static_rows, batch}, rope), HasSubstr("f32[T,"));
  EXPECT_THAT(ErrorOf(ops::kKvWrite, {kv, static_rows, static_rows, batch}), HasSubstr("(T)"));
  EXPECT_THAT(ErrorOf(ops::kAttention, {static_rows, kv, batch}, {0.5}), HasSubstr("f32[T,"));
  EXPECT_THAT(ErrorOf(ops::kAttnMask, {ValueType::F32({Symbol::kT, 4}), batch}),
              HasSubstr("f32[T,S]"));
  EXPECT_THAT(ErrorOf(ops::kAttnMask, {ValueType::F32({64, Symbol::kS}), batch}),
              HasSubstr("f32[T,S]"));
}

TEST(Rope, RefusesScalingThatDividesByZero) {
  ValueType x = ValueType::F32({Symbol::kT, 1, 4});
  std::vector<Attr> base_of_one = {1.0, 0.5, 1.0, 1.0, 32.0, 1.0, int64_t{128}};
  EXPECT_THAT(ErrorOf(ops::kRope, {x, ValueType::Batch()}, base_of_one), HasSubstr("above 1"));
}

TEST(Cost, CountsEveryByteOnce) {
  ValueType x = ValueType::F32({Symbol::kT, 64});
  ValueType weight = ValueType::Tensor(DType::kQ8_0, {32, 64});
  Types inputs = {x, weight};
  Cost cost = ops::kLinear.cost({ops::kLinear, inputs, {}, {}});
  EXPECT_EQ(cost.flops, (SymbolicCount{.ct = 2 * 64 * 32}));
  EXPECT_EQ(cost.bytes, (SymbolicCount{.c0 = 32 * 2 * 34, .ct = 4 * 64 + 4 * 32}));
}

}  // namespace
}  // namespace infer
