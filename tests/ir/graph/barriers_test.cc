// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/barriers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph/builder.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(MemoryOf, IsWhatAViewShowsAndTheStateOfACache) {
  Graph graph;
  GraphBuilder b(&graph);
  Value batch = graph.AddInput("batch", ValueType::Batch())->output();
  Value x = graph.AddInput("x", ValueType::F32({Symbol::kT, 64}))->output();
  Value cache = ops::KvState(b, 0, ValueType::Kv(DType::kF16, 1, 64));
  EXPECT_EQ(MemoryOf(ops::Reshape(b, ops::Reshape(b, x, {0, 2, 32}), {0, 64})), x);
  EXPECT_EQ(MemoryOf(ops::KvWrite(b, cache, x, x, batch)), cache);
  Value silu = ops::Silu(b, x);
  EXPECT_EQ(MemoryOf(silu), silu);
  ASSERT_TRUE(b.status().ok()) << b.status();
}

TEST(ForEachAccess, LeavesOutWeightsAndTheBatch) {
  Graph graph;
  GraphBuilder b(&graph);
  Value batch = graph.AddInput("batch", ValueType::Batch())->output();
  Value x = graph.AddInput("x", ValueType::F32({Symbol::kT, 64}))->output();
  Value cache = ops::KvState(b, 0, ValueType::Kv(DType::kF16, 1, 64));
  Value written = ops::KvWrite(b, cache, x, x, batch);
  Placement placement;
  placement.kernel_record.partition = {
      .domain = PartitionDomain::kRows, .extent = {.ct = 1}, .own_inputs = {1}};
  written.node->set_placement(placement);
  std::vector<std::pair<Value, bool>> own, writes;
  ForEachAccess(*written.node, [&](Value value, const Access& access) {
    own.push_back({value, access.own});
    writes.push_back({value, access.writes});
  });
  EXPECT_THAT(own, ElementsAre(std::pair(cache, false), std::pair(x, true), std::pair(x, false)));
  EXPECT_THAT(writes,
              ElementsAre(std::pair(cache, true), std::pair(x, false), std::pair(x, false)));
}

// Nodes 0 to 6, of which 4 is a view.
TEST(MeetingSteps, ThreadsRunOnBetweenSlicedStepsWithoutABarrier) {
  Graph graph;
  GraphBuilder b(&graph);
  Value x = graph.AddInput("x", ValueType::F32({4, 4}))->output();
  std::vector<StepMode> modes = {StepMode::kSerial, StepMode::kSliced, StepMode::kSliced,
                                 StepMode::kSliced, StepMode::kSerial, StepMode::kSliced,
                                 StepMode::kSerial};
  Plan plan;
  plan.segments.resize(1);
  for (size_t i = 0; i < modes.size(); ++i) {
    i == 4 ? ops::Reshape(b, x, {4, 4}) : ops::Silu(b, x);
    Step step;
    step.node = static_cast<int32_t>(i) + 1;
    step.mode = modes[i];
    step.barrier_after = i == 1;
    plan.segments[0].steps.push_back(step);
  }
  // 2, 3 and 5 run on; the view between them has no say.
  EXPECT_THAT(MeetingSteps(plan, graph.nodes()), ElementsAre(0, 1, 5, 5, 5, 5, 6));
  plan.segments[0].steps[4].barrier_after = true;
  EXPECT_THAT(MeetingSteps(plan, graph.nodes()), ElementsAre(0, 1, 3, 3, 4, 5, 6));
}

}  // namespace
}  // namespace infer
