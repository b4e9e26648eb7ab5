// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(GraphBuilder, ScopeNamesTheFirstResult) {
  Graph graph;
  Value x = graph.AddInput("x", ValueType::F32({Symbol::kT, 8}))->output();
  GraphBuilder b(&graph);
  auto [index, probability] = ops::Argmax(b.In("layer.3/pick"), x);
  EXPECT_EQ(index.node->scope(), "layer.3/pick");
  EXPECT_EQ(index.node->result(0).name, "layer.3.pick");
  EXPECT_EQ(index.node->result(0).origin, "layer.3/pick");
  EXPECT_EQ(index.node->result(1).name, "");
  EXPECT_EQ(probability.type(), ValueType::F32({Symbol::kT}));
  Value y = ops::Silu(b.In("layer.3/act", false), x);
  EXPECT_EQ(y.node->scope(), "layer.3/act");
  EXPECT_EQ(y.node->result().name, "");
  EXPECT_EQ(y.node->result().origin, "");
}

TEST(GraphBuilder, KeepsTheFirstErrorAndSkipsTheRest) {
  Graph graph;
  Value x = graph.AddInput("x", ValueType::F32({Symbol::kT, 8}))->output();
  GraphBuilder b(&graph);
  Value bad = ops::Reshape(b.In("layer.0/bad"), x, {0, 3});
  EXPECT_FALSE(bad);
  EXPECT_FALSE(ops::Add(b.In("later"), bad, x));
  EXPECT_FALSE(ops::Argmax(b, x).first);
  EXPECT_EQ(graph.num_nodes(), 1u);
  EXPECT_THAT(ToStd(b.status().message()), StartsWith("layer.0/bad: reshape: "));
  b.Fail(absl::InternalError("a second error"));
  EXPECT_THAT(ToStd(b.status().message()), ::testing::Not(HasSubstr("a second error")));
}

TEST(GraphBuilder, NullInputIsAnErrorThatNamesTheOp) {
  Graph graph;
  GraphBuilder b(&graph);
  EXPECT_FALSE(ops::Silu(b.In("here"), Value{}));
  EXPECT_THAT(ToStd(b.status().message()), HasSubstr("silu in here"));
}

TEST(GraphBuilder, WrongAttributesAreRefused) {
  Graph graph;
  Value x = graph.AddInput("x", ValueType::F32({2, 8}))->output();
  GraphBuilder missing(&graph);
  EXPECT_EQ(missing.Emit(ops::kScale, {x}), nullptr);
  EXPECT_THAT(ToStd(missing.status().message()), HasSubstr("0 attributes, expected 1"));
  GraphBuilder wrong(&graph);
  EXPECT_EQ(wrong.Emit(ops::kScale, {x}, {int64_t{2}}), nullptr);
  EXPECT_THAT(ToStd(wrong.status().message()), HasSubstr("factor is of kind int"));
}

}  // namespace
}  // namespace infer
