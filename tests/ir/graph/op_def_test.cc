// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/op_def.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/base/strings.h"
#include "ir/ops/op_list.h"
#include "ir/ops/rope_attrs.h"

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
  std::vector<Attr> rope = ops::AttrsOf({});
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
  std::vector<Attr> base_of_one =
      ops::AttrsOf({.base = 1, .freq_scale = 0.5, .ext_factor = 1, .original_context = 128});
  EXPECT_THAT(ErrorOf(ops::kRope, {x, ValueType::Batch()}, base_of_one), HasSubstr("above 1"));
}

TEST(Rope, NeedsAPositiveFactorForEachPair) {
  ValueType x = ValueType::F32({Symbol::kT, 1, 4});
  auto error = [&](std::vector<double> factors) {
    return ErrorOf(ops::kRope, {x, ValueType::Batch()}, ops::AttrsOf({.factors = factors}));
  };
  EXPECT_EQ(error({}), "");
  EXPECT_EQ(error({1, 8}), "");
  EXPECT_EQ(error({1}), "rope: has 1 factors, expected one for each of 2 pairs");
  EXPECT_EQ(error({1, 1, 1, 1}), "rope: has 4 factors, expected one for each of 2 pairs");
  for (double bad : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
    EXPECT_EQ(error({1, bad}), "rope: factors must be positive and finite");
  }
}

class FusedOps : public ::testing::Test {
 protected:
  std::vector<Attr> attrs_ = ops::NormRopeAttrs(1e-6, {});
  ValueType batch_ = ValueType::Batch();
  ValueType kv_ = ValueType::Kv(DType::kF16, 2, 4);
  ValueType q_ = ValueType::F32({Symbol::kT, 16});
  ValueType k_ = ValueType::F32({Symbol::kT, 8});
  ValueType norm_ = ValueType::F32({4});
};

TEST_F(FusedOps, RefuseWhatTheirPartsRefuse) {
  ValueType x = ValueType::F32({Symbol::kT, 64});
  ValueType w = ValueType::Tensor(DType::kQ8_0, {32, 64});
  EXPECT_EQ(ErrorOf(ops::kMultiLinear, {x, w, w}), "");
  EXPECT_EQ(ErrorOf(ops::kMultiLinear, {x}), "multi_linear: has 1 inputs, expected at least 2");
  EXPECT_EQ(ErrorOf(ops::kMultiLinear, {x, w, ValueType::F32({32, 60})}),
            "multi_linear: weight has 60 columns, x has 64");
  EXPECT_THAT(ErrorOf(ops::kSwiglu, {x, ValueType::F32({64})}), HasSubstr("of the same shape"));
  EXPECT_THAT(ErrorOf(ops::kAddRmsNorm, {x, ValueType::F32({64}), ValueType::F32({64})}, {1e-6}),
              HasSubstr("the same type"));
  EXPECT_THAT(ErrorOf(ops::kAddRmsNorm, {x, x, ValueType::F32({63})}, {1e-6}),
              HasSubstr("add_rms_norm: weight must be"));
  ValueType norm = ValueType::F32({64});
  EXPECT_EQ(ErrorOf(ops::kNormLinear, {x, norm, w, w}, {1e-6}), "");
  EXPECT_THAT(ErrorOf(ops::kNormLinear, {x, ValueType::F32({63}), w}, {1e-6}),
              HasSubstr("norm_linear: weight must be"));
  EXPECT_EQ(ErrorOf(ops::kNormSwiglu, {x, norm, w, w}, {1e-6}), "");
  EXPECT_EQ(ErrorOf(ops::kNormSwiglu, {x, norm, w, ValueType::F32({31, 64})}, {1e-6}),
            "norm_swiglu: gate and up must have the same rows");
  EXPECT_EQ(ErrorOf(ops::kLinearAdd, {x, w, ValueType::F32({Symbol::kT, 32})}), "");
  EXPECT_THAT(ErrorOf(ops::kLinearAdd, {x, w, x}), HasSubstr("residual must have the type"));
}

TEST_F(FusedOps, NeedRowsOfWholeHeadsForEachToken) {
  Types good = {q_, k_, norm_, norm_, batch_};
  EXPECT_EQ(ErrorOf(ops::kQkNormRope, good, attrs_), "");
  Types odd_heads = {ValueType::F32({Symbol::kT, 18}), k_, norm_, norm_, batch_};
  EXPECT_EQ(ErrorOf(ops::kQkNormRope, odd_heads, attrs_),
            "qk_norm_rope: q must be f32[T,heads * 4], found f32[T,18]");
  Types static_rows = {q_, ValueType::F32({64, 8}), norm_, norm_, batch_};
  EXPECT_THAT(ErrorOf(ops::kQkNormRope, static_rows, attrs_), HasSubstr("k must be f32[T,"));
  Types odd_dim = {q_, k_, ValueType::F32({1}), norm_, batch_};
  EXPECT_THAT(ErrorOf(ops::kQkNormRope, odd_dim, attrs_), HasSubstr("even head_dim"));
  attrs_[1] = -1.0;
  EXPECT_THAT(ErrorOf(ops::kQkNormRope, good, attrs_), HasSubstr("base"));
}

TEST_F(FusedOps, WriteOnlyWhatFitsTheCache) {
  Types good = {kv_, q_, k_, k_, norm_, norm_, batch_};
  EXPECT_EQ(ErrorOf(ops::kAttentionInputs, good, attrs_), "");
  Types all_heads = {kv_, q_, q_, q_, norm_, norm_, batch_};
  EXPECT_EQ(ErrorOf(ops::kAttentionInputs, all_heads, attrs_),
            "attention_inputs: k has 4 heads of 4, the cache is kv<f16[2,4]>");
  Types long_v = {kv_, q_, k_, q_, norm_, norm_, batch_};
  EXPECT_EQ(ErrorOf(ops::kAttentionInputs, long_v, attrs_),
            "attention_inputs: v must have the type of k, f32[T,8], found f32[T,16]");
}

TEST(Cost, OfFusedProjectionsReadsTheInputOnce) {
  ValueType x = ValueType::F32({Symbol::kT, 64});
  Types inputs = {x, ValueType::Tensor(DType::kQ8_0, {32, 64}), ValueType::F32({8, 64})};
  Cost cost = ops::kMultiLinear.cost({ops::kMultiLinear, inputs, {}, {}});
  EXPECT_EQ(cost.flops, (SymbolicCount{.ct = 2 * 64 * (32 + 8)}));
  EXPECT_EQ(cost.bytes,
            (SymbolicCount{.c0 = 32 * 2 * 34 + 8 * 64 * 4, .ct = 4 * 64 + 4 * (32 + 8)}));
}

TEST_F(FusedOps, CostWhatTheCacheStoresToo) {
  Types inputs = {kv_, q_, k_, k_, norm_, norm_, batch_};
  Cost cost = ops::kAttentionInputs.cost({ops::kAttentionInputs, inputs, attrs_, {}});
  EXPECT_EQ(cost.flops, (SymbolicCount{.ct = 7 * (16 + 8)}));
  double norms = 2 * 4 * 4, q = 2 * 16 * 4, k_and_v = 2 * 8 * (4 + 2);
  EXPECT_EQ(cost.bytes, (SymbolicCount{.c0 = norms, .ct = q + k_and_v}));
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
