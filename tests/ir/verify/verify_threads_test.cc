// SPDX-License-Identifier: Apache-2.0
//
// Plans of sliced steps, as a file could have them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph/builder.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "ir/verify/verifier.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kRowBytes = 4 * 64 * sizeof(float);  // of f32[4,64]

Placement PlacedOnParallel(Partition partition) {
  Placement placement;
  placement.target = Target::kParallel;
  placement.kernel = "kernel";
  placement.rule = "rule";
  placement.kernel_record.partition = std::move(partition);
  for (Target other : kUserTargets) {
    if (other == Target::kParallel) continue;
    placement.rejected.push_back({other, Rejected::Code::kNotInRule, "no"});
  }
  return placement;
}

Partition Rows(std::vector<int32_t> own_inputs = {0}) {
  return {.domain = PartitionDomain::kRows,
          .extent = {.c0 = 4},
          .own_inputs = std::move(own_inputs),
          .own_results = {0}};
}
Partition Columns(std::vector<int32_t> own_inputs = {}) {
  return {.domain = PartitionDomain::kColumns,
          .extent = {.c0 = 64},
          .granule = 32,
          .own_inputs = std::move(own_inputs),
          .own_results = {0}};
}

// Values of type f32[4,64]; x is the input. Every value has memory of its own unless a test says
// otherwise, for as long as the plan runs.
class ThreadsTest : public ::testing::Test {
 protected:
  ThreadsTest() : b_(&graph_) {
    x_ = graph_.AddInput("x", ValueType::F32({4, 64}))->output();
    graph_.set_stage(Stage::kPlanned);
    plan_.segments.resize(1);
  }

  Value Add(Value value, const Partition& partition, bool barrier = false) {
    value.node->set_placement(PlacedOnParallel(partition));
    Step& step = plan_.segments[0].steps.emplace_back();
    step.mode = StepMode::kSliced;
    step.barrier_after = barrier;
    return value;
  }
  Value Silu(Value x, const Partition& partition, bool barrier = false) {
    return Add(ops::Silu(b_, x), partition, barrier);
  }
  Value Linear(Value x, bool barrier = false) {
    Value weight = ops::WeightRef(b_, "w", ValueType::F32({64, 64}));
    return Add(ops::Linear(b_, x, weight), Columns(), barrier);
  }
  Slot& SlotOf(Value value) {
    int32_t at = 0;
    for (const Node* node : graph_.nodes()) {
      if (node == value.node) break;
      ++at;
    }
    for (Slot& slot : plan_.slots) {
      if (slot.value.node == at) return slot;
    }
    return plan_.slots.emplace_back();
  }

  // Completes the plan; tests change it then.
  void Finish(Value result) {
    graph_.AddResult(result);
    const std::vector<Node*> nodes = graph_.nodes();
    const int32_t last = static_cast<int32_t>(plan_.segments[0].steps.size()) - 1;
    size_t step = 0;
    uint64_t end = 0;
    for (int32_t at = 0; at < static_cast<int32_t>(nodes.size()); ++at) {
      if (nodes[at]->op().traits.weight) continue;
      Slot slot;
      slot.value = {at, 0};
      slot.bytes = kRowBytes;
      slot.last_step = last;
      if (nodes[at]->op().traits.view) {
        slot.alias_of = plan_.slots.back().value;
        slot.offset = plan_.slots.back().offset;
      } else {
        slot.offset = end;
        end += kRowBytes;
      }
      if (nodes[at]->placement()) {
        slot.first_step = static_cast<int32_t>(step);
        plan_.segments[0].steps[step++].node = at;
      }
      plan_.slots.push_back(slot);
    }
    plan_.arenas = {{Device::kCpu, end + 4096, 0, 0}};
  }
  std::string Found() {
    graph_.set_plan(plan_);
    const absl::Status status = Verify(graph_);
    return status.ok() ? "ok" : status.ToString();
  }

  Graph graph_{"threads"};
  GraphBuilder b_;
  Value x_;
  Plan plan_;
};

constexpr char kMustMeet[] = "a barrier must separate them";

TEST_F(ThreadsTest, NeedNotMeetBetweenTheSameUnits) {
  Finish(Silu(Silu(x_, Rows()), Rows()));
  EXPECT_EQ(Found(), "ok");
}

TEST_F(ThreadsTest, MeetBetweenRowsAndColumns) {
  Value a = Linear(x_);
  Finish(Silu(a, Rows()));
  EXPECT_THAT(Found(), HasSubstr(kMustMeet));
  plan_.segments[0].steps[0].barrier_after = true;
  EXPECT_EQ(Found(), "ok");
}

TEST_F(ThreadsTest, MeetBeforeAUnitReadsMoreThanItsOwnPart) {
  Finish(Silu(Silu(x_, Rows()), Rows({})));
  EXPECT_THAT(Found(), HasSubstr(kMustMeet));
}

TEST_F(ThreadsTest, MeetBetweenUnitsOfAnotherSize) {
  Partition pairs = Rows();
  pairs.granule = 2;
  Finish(Silu(Silu(x_, Rows()), pairs));
  EXPECT_THAT(Found(), HasSubstr(kMustMeet));
}

TEST_F(ThreadsTest, NeedNotMeetBetweenStepsThatShareNothingButWhatTheyRead) {
  Value a = Linear(x_);
  Value c = Silu(x_, Rows(), true);
  Finish(Add(ops::Add(b_, a, c), Rows({0, 1})));
  EXPECT_EQ(Found(), "ok");
}

// The step in the middle has nothing to do with the two others.
TEST_F(ThreadsTest, MeetSomewhereBeforeAStepThatReadsAnEarlierOne) {
  Value a = Linear(x_);
  Silu(x_, Rows());
  Finish(Silu(a, Rows()));
  EXPECT_THAT(Found(), HasSubstr(kMustMeet));
}

TEST_F(ThreadsTest, AViewHidesNoMissingMeeting) {
  Value a = Linear(x_);
  Value view = Add(ops::Reshape(b_, a, {4, 64}), Partition{});
  Finish(Silu(view, Rows()));
  EXPECT_THAT(Found(), HasSubstr(kMustMeet));
  plan_.segments[0].steps[1].barrier_after = true;  // the view's
  EXPECT_EQ(Found(), "ok");
}

TEST_F(ThreadsTest, AViewHidesNoSameUnits) {
  Value a = Silu(x_, Rows());
  Value view = Add(ops::Reshape(b_, a, {4, 64}), Partition{});
  Finish(Silu(view, Rows()));
  EXPECT_EQ(Found(), "ok");
}

TEST_F(ThreadsTest, MeetAroundASerialStep) {
  Value a = Silu(x_, Rows());
  Finish(Silu(a, Rows()));
  plan_.segments[0].steps[1].mode = StepMode::kSerial;
  EXPECT_THAT(Found(), HasSubstr(kMustMeet));
}

// c works in the memory of x, which a late thread may still multiply.
TEST_F(ThreadsTest, NothingIsOverwrittenThatALateThreadReads) {
  Linear(x_);
  Value c = Silu(x_, Rows());
  Finish(c);
  SlotOf(c).alias_of = ValueRef{0, 0};
  SlotOf(c).offset = SlotOf(x_).offset;
  SlotOf(x_).last_step = 1;
  EXPECT_THAT(Found(), HasSubstr(kMustMeet));
  plan_.segments[0].steps[0].barrier_after = true;
  EXPECT_EQ(Found(), "ok");
}

TEST_F(ThreadsTest, NothingIsOverwrittenThatAUnitOfTheSameStepReads) {
  Value a = Silu(x_, Rows({}));
  Finish(a);
  SlotOf(a).alias_of = ValueRef{0, 0};
  SlotOf(a).offset = SlotOf(x_).offset;
  EXPECT_THAT(Found(), HasSubstr("reads more than a unit's own part"));
}

TEST_F(ThreadsTest, AValueThatIsReadTwiceIsNotOverwrittenInPlace) {
  Value sum = Add(ops::Add(b_, x_, x_), Rows({0, 1}));
  Finish(sum);
  EXPECT_EQ(Found(), "ok");
  SlotOf(sum).alias_of = ValueRef{0, 0};
  SlotOf(sum).offset = SlotOf(x_).offset;
  EXPECT_THAT(Found(), HasSubstr("which is input 1 of the same node as well"));
  plan_.segments[0].steps[0].mode = StepMode::kSerial;
  EXPECT_THAT(Found(), HasSubstr("which is input 1 of the same node as well"));
}

TEST_F(ThreadsTest, AWorkspaceIsInUseUntilAllHaveMet) {
  Value a = Silu(x_, Rows());
  Value c = Silu(x_, Rows());
  Finish(Add(ops::Add(b_, a, c), Rows({0, 1})));
  plan_.segments[0].steps[0].workspace_bytes = 64;
  plan_.segments[0].steps[0].workspace_offset = SlotOf(c).offset;
  EXPECT_THAT(Found(), HasSubstr("overlap the workspace of step 0 in step 1"));
  plan_.segments[0].steps[0].barrier_after = true;
  EXPECT_EQ(Found(), "ok");
}

TEST_F(ThreadsTest, TwoWorkspacesAreApartUntilAllHaveMet) {
  Value a = Silu(x_, Rows());
  Value c = Silu(x_, Rows());
  Finish(Add(ops::Add(b_, a, c), Rows({0, 1})));
  for (Step& step : plan_.segments[0].steps) {
    step.workspace_offset = plan_.arenas[0].bytes - 4096;
    step.workspace_bytes = 64;
  }
  EXPECT_THAT(Found(), HasSubstr("step 1: its workspace"));
  plan_.segments[0].steps[1].workspace_offset += 64;
  plan_.segments[0].steps[2].workspace_offset += 128;
  EXPECT_EQ(Found(), "ok");
}

TEST_F(ThreadsTest, AKernelHasTheMemoryItWants) {
  Value a = Silu(x_, Rows());
  Finish(a);
  Placement placement = *a.node->placement();
  placement.kernel_record.workspace_bytes = 64;
  a.node->set_placement(placement);
  EXPECT_THAT(Found(), HasSubstr("needs 64 bytes of workspace"));
  plan_.segments[0].steps[0].workspace_offset = plan_.arenas[0].bytes - 4096;
  plan_.segments[0].steps[0].workspace_bytes = 64;
  EXPECT_EQ(Found(), "ok");
  placement.kernel_record.scratch_bytes = 65;
  a.node->set_placement(placement);
  EXPECT_THAT(Found(), HasSubstr("and 65 for each thread"));
  plan_.arenas[0].bytes_per_thread = 128;
  EXPECT_EQ(Found(), "ok");
}

}  // namespace
}  // namespace infer
