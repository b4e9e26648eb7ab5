// SPDX-License-Identifier: Apache-2.0
#include "runtime/profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph/plan.h"
#include "runtime/kernel.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using test::SampleProgram;

class ProfilerTest : public ::testing::Test {
 protected:
  // Numbers of the steps that compute, in the plan of regime 0.
  std::vector<int> ComputingSteps() const {
    std::vector<int> steps;
    int number = 0;
    const std::vector<Node*> nodes = program_.regimes[0].graph.nodes();
    for (const Segment& segment : program_.regimes[0].graph.plan()->segments) {
      for (const Step& step : segment.steps) {
        if (nodes[step.node]->placement()->kernel != "view") steps.push_back(number);
        ++number;
      }
    }
    return steps;
  }

  // A call in which thread 0 is busy for `ns` in each step and thread 1 for half as long.
  void Call(int64_t tokens, int64_t ns, int64_t positions = 9) {
    int64_t now = 1000;
    for (int step : ComputingSteps()) {
      events_.thread(0)[step] = {now, now + ns, now + ns + 10, 0};
      events_.thread(1)[step] = {now, now + ns, now + ns, ns / 2};
      now += ns + 10;
    }
    profiler_.AfterCall({0, {tokens, 1, positions}, 990, now + 5, &events_});
  }

  Program program_ = SampleProgram();
  StepEvents events_{32, 2};
  Profiler profiler_{program_, 2};
};

TEST_F(ProfilerTest, NamesTheStepsThatCompute) {
  const Profile profile = profiler_.Finish();
  EXPECT_EQ(profile.threads, 2);
  EXPECT_EQ(profile.program, ProgramKey(program_));
  EXPECT_EQ(profile.policy, program_.policy.name);
  EXPECT_TRUE(profile.model == program_.model);
  ASSERT_EQ(profile.regimes.size(), 2u);
  EXPECT_EQ(profile.regimes[1].min_tokens, program_.regimes[1].min_tokens);
  ASSERT_EQ(profile.regimes[0].nodes.size(), ComputingSteps().size());
  const std::vector<uint64_t> ids = NodeIds(program_.regimes[0].graph);
  for (const ProfileNode& node : profile.regimes[0].nodes) {
    EXPECT_TRUE(std::ranges::count(ids, node.id) == 1) << node.name;
    EXPECT_FALSE(node.kernel.empty());
    EXPECT_FALSE(node.op.empty());
  }
  EXPECT_TRUE(profile.regimes[0].groups.empty());  // no call yet
}

TEST_F(ProfilerTest, AddsUpCallsOfOneSize) {
  for (int64_t ns = 100; ns <= 2000; ns += 100) Call(1, ns);
  const Profile profile = profiler_.Finish();
  ASSERT_EQ(profile.regimes[0].groups.size(), 1u);
  const CallGroup& group = profile.regimes[0].groups[0];
  EXPECT_EQ(group.calls, 20);
  EXPECT_EQ(group.tokens, 20);
  EXPECT_EQ(group.positions, 180);
  EXPECT_EQ(group.sequences, 20);
  ASSERT_EQ(group.timings.size(), profile.regimes[0].nodes.size());
  int64_t steps_ns = 0;
  for (const NodeTiming& timing : group.timings) {
    EXPECT_EQ(timing.n, 20);
    EXPECT_EQ(timing.min_ns, 110);
    EXPECT_EQ(timing.p50_ns, 1110);  // the 11th of 20, by the nearest rank
    EXPECT_EQ(timing.p95_ns, 1910);
    EXPECT_EQ(timing.total_ns, 21000 + 20 * 10);
    EXPECT_EQ(timing.wait_ns, 20 * 10 + 21000 / 2);
    EXPECT_EQ(timing.busy_ns, 21000 + 21000 / 2);
    EXPECT_EQ(timing.busy_max_ns, 21000);
    EXPECT_NEAR(timing.imbalance(2), 4.0 / 3, 1e-9);
    steps_ns += timing.total_ns;
  }
  // The steps of a call follow each other: all of it but 15 ns around them.
  EXPECT_EQ(group.wall_ns, steps_ns + 20 * 15);
  EXPECT_EQ(group.wall_p50_ns, std::ssize(ComputingSteps()) * 1110 + 15);
}

// Of two steps without a barrier between them thread 0 does the first alone; thread 1 is at the
// second meanwhile and waits for it there, a hundred times as long as thread 0 needs for it.
TEST_F(ProfilerTest, WaitsAreNeverMoreThanTheThreadsOwnTime) {
  const std::vector<int> steps = ComputingSteps();
  ASSERT_GE(steps.size(), 2u);
  events_.thread(0)[steps[0]] = {1000, 2000, 2000, 0};
  events_.thread(1)[steps[0]] = {1000, 1000, 1000, 0};
  events_.thread(0)[steps[1]] = {2000, 2010, 2010, 0};
  events_.thread(1)[steps[1]] = {1000, 1010, 2010, 0};
  profiler_.AfterCall({0, {1, 1, 9}, 990, 2020, &events_});
  const Profile profile = profiler_.Finish();
  const std::vector<NodeTiming>& timings = profile.regimes[0].groups[0].timings;
  EXPECT_EQ(timings[0].wait_share(), 0.0);
  EXPECT_EQ(timings[1].total_ns, 10);
  EXPECT_EQ(timings[1].wait_ns, 1000);
  EXPECT_DOUBLE_EQ(timings[1].wait_share(), 1000.0 / 1020);
}

TEST_F(ProfilerTest, KeepsSizesOfCallsApart) {
  Call(1, 100);
  Call(1, 300);
  Call(2, 500);
  Call(3, 700);
  Call(4, 900);
  const Profile profile = profiler_.Finish();
  const std::vector<CallGroup>& groups = profile.regimes[0].groups;
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].calls, 2);
  EXPECT_EQ(groups[1].calls, 2);
  EXPECT_EQ(groups[1].min_tokens, 2);
  EXPECT_EQ(groups[1].max_tokens, 3);
  EXPECT_EQ(groups[2].min_tokens, 4);
  EXPECT_EQ(groups[2].timings[0].min_ns, 910);
}

TEST_F(ProfilerTest, AddsUpTheRowsOfExperts) {
  const int step = ComputingSteps()[2];
  std::vector<int32_t> ids = {2, 0, 2};
  Operand operand;
  operand.tensor = {reinterpret_cast<std::byte*>(ids.data()), DType::kI32, 1};
  operand.tensor.dims[0] = std::ssize(ids);
  KernelArgs args;
  args.inputs = {&operand, 1};
  events_.HasExperts(step, 0, 3);
  events_.CountRows(step, args);
  Call(1, 100);
  ids = {1, 0, 2};
  events_.CountRows(step, args);
  Call(1, 100);
  Call(4, 100);
  const Profile profile = profiler_.Finish();
  const std::vector<CallGroup>& groups = profile.regimes[0].groups;
  const std::vector<ExpertLoad> expected = {{2, {2, 1, 3}}};
  EXPECT_TRUE(groups[0].experts == expected);
  EXPECT_EQ(groups[1].experts[0].rows, (std::vector<int64_t>{1, 1, 1}));
}

TEST_F(ProfilerTest, KeepsTheTimelineOfTheShortestCall) {
  Call(1, 300);
  Call(1, 100, 17);
  Call(1, 200);
  const Profile profile = profiler_.Finish();
  const CallTimeline& timeline = profile.regimes[0].groups[0].timeline;
  EXPECT_EQ(timeline.tokens, 1);
  EXPECT_EQ(timeline.positions, 17);
  const int64_t nodes = std::ssize(ComputingSteps());
  EXPECT_EQ(timeline.wall_ns, 10 + nodes * 110 + 5);
  ASSERT_EQ(timeline.threads.size(), 2u);
  ASSERT_EQ(std::ssize(timeline.threads[1]), nodes);
  EXPECT_EQ(timeline.threads[0][0], (TimelineEvent{10, 110, 120, 0}));
  EXPECT_EQ(timeline.threads[1][1], (TimelineEvent{120, 220, 220, 50}));
}

TEST_F(ProfilerTest, TakesPercentilesOfTheLastCalls) {
  for (int64_t i = 0; i < Profiler::kKeptCalls; ++i) Call(1, 100);
  for (int64_t i = 0; i < Profiler::kKeptCalls; ++i) Call(1, 990);
  const Profile profile = profiler_.Finish();
  const NodeTiming& timing = profile.regimes[0].groups[0].timings[0];
  EXPECT_EQ(timing.n, 2 * Profiler::kKeptCalls);
  EXPECT_EQ(timing.min_ns, 110);
  EXPECT_EQ(timing.p50_ns, 1000);
  EXPECT_EQ(profile.regimes[0].groups[0].wall_p50_ns, std::ssize(ComputingSteps()) * 1000 + 15);
}

}  // namespace
}  // namespace infer
