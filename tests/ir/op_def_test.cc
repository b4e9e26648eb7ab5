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
