// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/barriers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph/builder.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

class SlicesTest : public ::testing::Test {
 protected:
  SlicesTest() : b_(&graph_) {
    x_ = graph_.AddInput("x", ValueType::F32({Symbol::kT, 8}))->output();
    ids_ = graph_.AddInput("ids", ValueType::Tensor(DType::kI32, {Symbol::kT}))->output();
  }
  Graph graph_;
  GraphBuilder b_;
  Value x_, ids_;
};

TEST_F(SlicesTest, RowwiseOpsOfTheSameShapeAreCutByTheSameRows) {
  Value silu = ops::Silu(b_, x_);
  Value scaled = ops::Scale(b_, silu, 2.0);
  EXPECT_TRUE(CutByTheSameRows(*silu.node, *scaled.node));
}

TEST_F(SlicesTest, HeadsAndTokensAreNotTheSameRows) {
  Value heads = ops::Reshape(b_, x_, {0, 2, 4});
  Value silu = ops::Silu(b_, heads);
  Value scaled = ops::Scale(b_, silu, 2.0);
  EXPECT_FALSE(CutByTheSameRows(*silu.node, *scaled.node));
}

TEST_F(SlicesTest, OtherColumnsAreOtherRows) {
  Value silu = ops::Silu(b_, x_);
  Value part = ops::SliceColumns(b_, silu, 0, 4);
  EXPECT_FALSE(CutByTheSameRows(*silu.node, *part.node));
}

TEST_F(SlicesTest, RowsThatAreReadByNumberCanBeAnyones) {
  Value silu = ops::Silu(b_, x_);
  Value gathered = ops::GatherRows(b_, silu, ids_);
  EXPECT_FALSE(CutByTheSameRows(*silu.node, *gathered.node));
}

TEST(MeetingSteps, ThreadsRunOnBetweenSlicedStepsWithoutABarrier) {
  Plan plan;
  plan.segments.resize(2);
  auto step = [](StepMode mode, bool barrier) {
    Step made;
    made.mode = mode;
    made.barrier_after = barrier;
    return made;
  };
  const StepMode serial = StepMode::kSerial, sliced = StepMode::kSliced;
  plan.segments[0].steps = {step(serial, false), step(serial, true), step(sliced, false),
                            step(sliced, false), step(sliced, true), step(sliced, false)};
  plan.segments[1].steps = {step(sliced, false)};
  EXPECT_THAT(MeetingSteps(plan), ElementsAre(0, 1, 4, 4, 4, 5, 6));
}

}  // namespace
}  // namespace infer
