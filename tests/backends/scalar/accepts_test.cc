// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/accepts.h"

#include "gtest/gtest.h"
#include "ir/ops/ops.h"

namespace infer::scalar {
namespace {

class ScalarAccepts : public ::testing::Test {
 protected:
  Value Input(ValueType type) { return graph_.AddInput("x", type)->output(); }

  Graph graph_;
  GraphBuilder b_{&graph_};
};

TEST_F(ScalarAccepts, NamesTheWeightTypeItFoundAndTheOneItReads) {
  Value x = Input(ValueType::F32({Symbol::kT, 256}));
  Value weight = ops::WeightRef(b_, "w", ValueType::Tensor(DType::kQ4_K, {8, 256}));
  const Node& node = *ops::Linear(b_, x, weight).node;
  Decision decision = InputIs<1, DType::kQ8_0>(node);
  EXPECT_FALSE(decision.accepted());
  EXPECT_EQ(decision.reason(), "weight is q4_k; this kernel reads q8_0");
  EXPECT_TRUE((InputIs<1, DType::kQ4_K>(node).accepted()));
}

TEST_F(ScalarAccepts, NamesTheTableTypeItFound) {
  Value table = ops::WeightRef(b_, "w", ValueType::Tensor(DType::kF16, {8, 256}));
  Value tokens = Input(ValueType::Tensor(DType::kI32, {Symbol::kT}));
  const Node& node = *ops::Embed(b_, table, tokens).node;
  EXPECT_EQ((InputIs<0, DType::kBF16>(node).reason()), "table is f16; this kernel reads bf16");
  EXPECT_TRUE((InputIs<0, DType::kF16>(node).accepted()));
}

TEST_F(ScalarAccepts, NamesTheCacheTypeItFound) {
  Value kv = ops::KvState(b_, 0, ValueType::Kv(DType::kQ8_0, 2, 32));
  Value batch = Input(ValueType::Batch());
  const Node& node = *ops::KvRead(b_, kv, batch).first.node;
  EXPECT_EQ((InputIs<0, DType::kF16>(node).reason()), "kv is q8_0; this kernel reads f16");
}

TEST_F(ScalarAccepts, RowNumbersNeedNotBeF32) {
  Value x = Input(ValueType::F32({4, 2}));
  Value rows = Input(ValueType::Tensor(DType::kI32, {3}));
  EXPECT_TRUE(AllF32(*ops::GatherRows(b_, x, rows).node).accepted());
}

TEST_F(ScalarAccepts, AllF32NamesTheInputThatIsNot) {
  Value x = Input(ValueType::F32({4, 32}));
  Value weight = ops::WeightRef(b_, "w", ValueType::Tensor(DType::kF16, {4, 32}));
  EXPECT_EQ(AllF32(*ops::Linear(b_, x, weight).node).reason(),
            "weight is f16; this kernel reads f32");
}

TEST_F(ScalarAccepts, RefusesATensorWithoutDimensions) {
  EXPECT_EQ(AllF32(*ops::Silu(b_, Input(ValueType::F32({}))).node).reason(),
            "x has no dimensions; this kernel reads rows");
}

}  // namespace
}  // namespace infer::scalar
