// SPDX-License-Identifier: Apache-2.0
//
// The schedule and the memory plan, at the level of the plan's own data; what a damaged file looks
// like is in graph_file_defects_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "ir/verify/verifier.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using test::SampleGraph;
using ::testing::HasSubstr;

// Steps of the sample: 0 embed, 1 norm, 2 q_proj, 3 heads (a view), 4 half, 5 kv_write, 6
// attention, 7 add (in place), 8 rows, 9 output. Slots: tokens, embed, norm, q_proj, heads, half,
// attention, add, rows, output.
struct PlanDefect {
  const char* name;
  std::function<void(Plan&)> damage;
  const char* message;  // empty: accepted
};

class PlanDefects : public ::testing::TestWithParam<PlanDefect> {};

TEST_P(PlanDefects, AreToldApart) {
  Graph graph = SampleGraph(Stage::kPlanned);
  Plan plan = *graph.plan();
  GetParam().damage(plan);
  graph.set_plan(plan);
  absl::Status status = Verify(graph);
  if (std::string_view(GetParam().message).empty()) {
    EXPECT_EQ(status, absl::OkStatus());
    return;
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(ToStd(status.message())), HasSubstr(GetParam().message));
}

std::vector<Step>& Steps(Plan& plan) { return plan.segments[0].steps; }

const PlanDefect kScheduleDefects[] = {
    {"no_steps", [](Plan& p) { p.segments.clear(); },
     "%embed (embed): no step of the plan runs it"},
    {"step_missing", [](Plan& p) { Steps(p).pop_back(); },
     "%output (linear): no step of the plan runs it"},
    {"step_twice", [](Plan& p) { Steps(p).push_back(Steps(p).back()); },
     "step 10: runs %output (linear) again; step 9 already ran it"},
    {"order", [](Plan& p) { std::swap(Steps(p)[0], Steps(p)[1]); },
     "step 0: runs %layer.0.attn.norm (rms_norm) before %embed (embed)"},
    {"empty_segment", [](Plan& p) { p.segments.push_back({Device::kMetal, {}}); },
     "segment 1 of the plan has no steps"},
    {"segments_not_joined",
     [](Plan& p) {
       p.segments.push_back({Device::kCpu, {Steps(p).back()}});
       Steps(p).pop_back();
     },
     "segments 0 and 1 are both on cpu"},
    {"wrong_device", [](Plan& p) { p.segments[0].device = Device::kMetal; },
     "on metal but it is placed on scalar"},
    {"space_of_its_own", [](Plan& p) { p.segments[0].shared_space = Device::kCpu; },
     "segment 0 of the plan is on cpu and in the memory of cpu"},
    {"cpu_in_metal", [](Plan& p) { p.segments[0].shared_space = Device::kMetal; },
     "segment 0 of the plan is on cpu and in the memory of metal"},
    {"node_out_of_range", [](Plan& p) { Steps(p)[0].node = 1000; },
     "runs node 1000; the number of nodes is 16"},
    {"node_negative", [](Plan& p) { Steps(p)[0].node = -5; }, "either a node or a copy"},
    {"neither_node_nor_copy", [](Plan& p) { Steps(p)[0].node = -1; }, "either a node or a copy"},
    {"runs_a_weight", [](Plan& p) { Steps(p)[0].node = 2; },
     "step 0: runs a node that is not executed: %token_embd.weight (weight)"},
    {"copy_to_itself",
     [](Plan& p) {
       Step step;
       step.copy = CopyStep{{6, 0}, Device::kCpu, Device::kCpu};
       Steps(p).push_back(step);
     },
     "from cpu to cpu"},
    {"copy_of_nothing",
     [](Plan& p) {
       Step step;
       step.copy = CopyStep{{60, 0}, Device::kCpu, Device::kMetal};
       Steps(p).push_back(step);
     },
     "copies a value that does not exist"},
    {"copy_in_a_segment_of_the_cpu",
     [](Plan& p) {
       Step step;
       step.copy = CopyStep{{6, 0}, Device::kCpu, Device::kMetal};
       Steps(p).push_back(step);
     },
     "in a segment of cpu, expected a copy from or to cpu in a segment of the other memory"},
};

const PlanDefect kMemoryDefects[] = {
    {"slot_missing", [](Plan& p) { p.slots.erase(p.slots.begin() + 2); },
     "%layer.0.attn.norm (rms_norm): has no slot on cpu"},
    {"slot_twice", [](Plan& p) { p.slots.insert(p.slots.begin(), p.slots[0]); },
     "there is more than one"},
    {"slots_out_of_order", [](Plan& p) { std::swap(p.slots[0], p.slots[1]); },
     "is out of order; slots must be in the order of their values"},
    {"slot_of_nothing", [](Plan& p) { p.slots.back().value.node = 99; },
     "slot 9 is for a value that does not exist"},
    {"slot_of_batch", [](Plan& p) { p.slots[0].value.node = 1; }, "a batch must not have a slot"},
    {"slot_of_weight",
     [](Plan& p) {
       p.slots[0].value.node = 3;
       p.slots[0].bytes = 256;
     },
     "the value never exists in this space"},
    {"misaligned", [](Plan& p) { p.slots[1].offset += 4; }, "is not a multiple of 64"},
    {"too_small", [](Plan& p) { p.slots[1].bytes -= 4; },
     "has 1020 bytes, but f32[T,64] takes up to 1024"},
    {"outside_arena", [](Plan& p) { p.slots[9].offset = 1 << 20; }, "lie outside the arena"},
    {"end_wraps", [](Plan& p) { p.slots[9].offset = ~uint64_t{63}; }, "lie outside the arena"},
    {"no_arena", [](Plan& p) { p.arenas.clear(); }, "lie outside the arena"},
    {"two_arenas", [](Plan& p) { p.arenas.push_back(p.arenas[0]); }, "cpu has two arenas"},
    {"lower_bound_above_arena", [](Plan& p) { p.arenas[0].lower_bound = 1 << 30; },
     "expected lower bound <= bytes"},
    {"arena_absurd", [](Plan& p) { p.arenas[0].bytes = ~uint64_t{0}; }, "<= 2^44"},
    {"ends_too_early", [](Plan& p) { p.slots[1].last_step = 6; },
     "is in use in steps 0..6, but the value is needed in 0..7"},
    {"begins_too_late", [](Plan& p) { p.slots[2].first_step = 2; },
     "is in use in steps 2..2, but the value is needed in 1..2"},
    {"result_ends_too_early", [](Plan& p) { p.slots[7].last_step = 8; },
     "is in use in steps 7..8, but the value is needed in 7..9"},
    {"step_outside_plan", [](Plan& p) { p.slots[9].last_step = 10; }, "in steps 9..10 of 10"},
    {"step_negative", [](Plan& p) { p.slots[0].first_step = -1; }, "in steps -1..0 of 10"},
    {"overlap", [](Plan& p) { p.slots[2].offset = p.slots[1].offset; },
     "overlap those of %embed (embed) in step 1"},
    {"overlap_by_the_last_bytes",
     [](Plan& p) { p.slots[2].offset = p.slots[1].offset + p.slots[1].bytes - 64; },
     "overlap those of %embed (embed) in step 1"},
    {"overlap_from_below", [](Plan& p) { p.slots[0].bytes = 128; },
     "overlap those of %tokens (input) in step 0"},
    {"memory_reused_after_last_use", [](Plan& p) { p.slots[6].offset = p.slots[2].offset; }, ""},
    {"memory_reused_at_last_use",
     [](Plan& p) { p.slots[3].offset = p.slots[4].offset = p.slots[2].offset; },
     "overlap those of %layer.0.attn.norm (rms_norm) in step 2"},
    {"view_keeps_memory_alive",
     [](Plan& p) {
       p.slots[3].last_step = 4;               // q_proj itself is read until step 4
       p.slots[6].offset = p.slots[3].offset;  // but attention reads its view at step 6
     },
     "overlap those of %layer.0.attn.q_proj (linear) in step 6"},
    {"view_elsewhere", [](Plan& p) { p.slots[4].offset = p.slots[2].offset; },
     "but lies in other memory"},
    {"view_without_alias", [](Plan& p) { p.slots[4].alias_of.reset(); },
     "belongs to a view and must alias the value it shows"},
    {"alias_of_another_value", [](Plan& p) { p.slots[4].alias_of = p.slots[1].value; },
     "may be an alias of %layer.0.attn.q_proj (linear) only"},
    {"alias_without_trait", [](Plan& p) { p.slots[3].alias_of = p.slots[2].value; },
     "the op is not a view and does not work in place"},
    {"in_place_without_alias", [](Plan& p) { p.slots[7].alias_of.reset(); },
     "overlap those of %embed (embed) in step 7"},
    {"in_place_while_still_read", [](Plan& p) { p.slots[1].last_step = 8; },
     "takes over the memory of %embed (embed) in step 7"},
    {"in_place_too_early", [](Plan& p) { p.slots[7].first_step = 6; },
     "takes over the memory of %embed (embed) in step 6"},
    {"in_place_larger", [](Plan& p) { p.slots[7].bytes += 64; }, "but lies in other memory"},
    {"sliced_without_meeting_before",
     [](Plan& p) {
       Steps(p)[0].barrier_after = false;
       Steps(p)[1].mode = StepMode::kSliced;
       Steps(p)[1].barrier_after = true;
     },
     "a barrier must separate them"},
    {"sliced_without_meeting_after",
     [](Plan& p) {
       Steps(p)[0].barrier_after = true;
       Steps(p)[1].mode = StepMode::kSliced;
       Steps(p)[1].barrier_after = false;
     },
     "a barrier must separate them"},
    {"sliced",
     [](Plan& p) {
       Steps(p)[0].barrier_after = true;
       Steps(p)[1].mode = StepMode::kSliced;
       Steps(p)[1].barrier_after = true;
     },
     ""},
    {"sliced_what_cannot_be_cut",
     [](Plan& p) {
       Steps(p)[1].barrier_after = true;
       Steps(p)[2].mode = StepMode::kSliced;
       Steps(p)[2].barrier_after = true;
     },
     "%layer.0.attn.q_proj (linear): threads cannot share it"},
    {"scratch_misaligned", [](Plan& p) { p.arenas[0].bytes_per_thread += 2; },
     "bytes per thread, which is not a multiple of 64"},
    {"workspace_misaligned", [](Plan& p) { Steps(p)[6].workspace_offset += 1; },
     "step 6: its workspace"},
    {"workspace_empty_with_an_offset", [](Plan& p) { Steps(p)[0].workspace_offset = 64; },
     "step 0: its workspace of bytes 64+0 is empty but has an offset"},
    {"workspace_outside", [](Plan& p) { Steps(p)[6].workspace_bytes += 64; },
     "lies outside the arena"},
    {"workspace_overlaps", [](Plan& p) { Steps(p)[6].workspace_offset = p.slots[6].offset; },
     "overlaps a slot in use"},
    {"workspace_in_free_memory", [](Plan& p) { Steps(p)[6].workspace_offset = p.slots[2].offset; },
     ""},
    {"workspace_over_in_place",
     [](Plan& p) {
       Steps(p)[7].workspace_offset = p.slots[7].offset;
       Steps(p)[7].workspace_bytes = 64;
     },
     "overlaps a slot in use"},
};

std::string PlanDefectName(const ::testing::TestParamInfo<PlanDefect>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Schedule, PlanDefects, ::testing::ValuesIn(kScheduleDefects),
                         PlanDefectName);
INSTANTIATE_TEST_SUITE_P(Memory, PlanDefects, ::testing::ValuesIn(kMemoryDefects), PlanDefectName);

Placement PlacedOn(Target target) {
  Placement placement;
  placement.target = target;
  placement.kernel = "kernel";
  placement.rule = "rule";
  for (Target other : kUserTargets) {
    if (other != target) placement.rejected.push_back({other, Rejected::Code::kNotInRule, "no"});
  }
  return placement;
}

Slot MakeSlot(int32_t node, Device space, uint64_t offset, int32_t first, int32_t last) {
  Slot slot;
  slot.value = {node, 0};
  slot.space = space;
  slot.offset = offset;
  slot.bytes = 256;
  slot.first_step = first;
  slot.last_step = last;
  return slot;
}

// x on the cpu, copied, doubled on metal, copied back.
Graph TwoDevices() {
  Graph graph("two");
  Value x = graph.AddInput("x", ValueType::F32({1, 64}))->output();
  GraphBuilder b(&graph);
  Value doubled = ops::Scale(b.In("double"), x, 2.0);
  doubled.node->set_placement(PlacedOn(Target::kMetal));
  graph.AddResult(doubled);
  graph.set_stage(Stage::kPlanned);
  Step in, run, out;
  in.copy = CopyStep{{0, 0}, Device::kCpu, Device::kMetal};
  run.node = 1;
  out.copy = CopyStep{{1, 0}, Device::kMetal, Device::kCpu};
  Plan plan;
  plan.segments = {{Device::kMetal, {in, run, out}}};
  plan.slots = {MakeSlot(0, Device::kCpu, 0, 0, 2), MakeSlot(0, Device::kMetal, 0, 0, 1),
                MakeSlot(1, Device::kCpu, 256, 2, 2), MakeSlot(1, Device::kMetal, 256, 1, 2)};
  plan.arenas = {{Device::kCpu, 512, 0, 0}, {Device::kMetal, 512, 0, 0}};
  plan.waits = {Device::kMetal};
  graph.set_plan(plan);
  return graph;
}

const PlanDefect kCopyDefects[] = {
    {"none", [](Plan&) {}, ""},
    {"no_copy_in", [](Plan& p) { Steps(p).erase(Steps(p).begin()); },
     "which it reads, is available on metal"},
    {"no_copy_out", [](Plan& p) { Steps(p).pop_back(); }, "is not available on cpu"},
    {"copy_twice", [](Plan& p) { Steps(p).push_back(Steps(p).back()); }, "or a second time"},
    {"copy_before_computed", [](Plan& p) { std::swap(Steps(p)[1], Steps(p)[2]); },
     "before it is computed"},
    {"copy_in_too_late", [](Plan& p) { std::swap(Steps(p)[0], Steps(p)[1]); },
     "which it reads, is available on metal"},
    {"copy_in_last",
     [](Plan& p) {
       Step again = Steps(p)[0];
       Steps(p).push_back(again);
     },
     "after the first node of the segment"},
    {"no_wait", [](Plan& p) { p.waits.clear(); }, "the call ends before metal has finished"},
    {"wait_for_cpu", [](Plan& p) { p.waits.push_back(Device::kCpu); }, "waits for cpu"},
    {"wait_twice", [](Plan& p) { p.waits.push_back(Device::kMetal); }, "waits for metal"},
    {"wait_for_itself", [](Plan& p) { p.segments[0].waits = {Device::kMetal}; }, "waits for metal"},
    {"no_slot", [](Plan& p) { p.slots.erase(p.slots.begin() + 1); },
     "%x (input): has no slot on metal"},
    // The queue may copy x at any time until the cpu has waited for it.
    {"source_ends_before_the_wait", [](Plan& p) { p.slots[0].last_step = 0; },
     "is in use in steps 0..0, but the value is needed in 0..2"},
    {"the_copy_on_the_device_is_taken_over",
     [](Plan& p) {
       p.slots[3].offset = 0;
       p.slots[3].alias_of = ValueRef{0, 0};
     },
     ""},
};

class CopyDefects : public ::testing::TestWithParam<PlanDefect> {};

TEST_P(CopyDefects, AreToldApart) {
  Graph graph = TwoDevices();
  Plan plan = *graph.plan();
  GetParam().damage(plan);
  graph.set_plan(plan);
  const absl::Status status = Verify(graph);
  if (std::string_view(GetParam().message).empty()) {
    EXPECT_EQ(status, absl::OkStatus());
  } else {
    EXPECT_THAT(status.ToString(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(Copies, CopyDefects, ::testing::ValuesIn(kCopyDefects), PlanDefectName);

// x on the cpu, doubled on metal in the cpu's memory, made positive on the cpu.
Graph SharedMemory() {
  Graph graph("shared");
  Value x = graph.AddInput("x", ValueType::F32({1, 64}))->output();
  GraphBuilder b(&graph);
  Value doubled = ops::Scale(b.In("double"), x, 2.0);
  doubled.node->set_placement(PlacedOn(Target::kMetal));
  Value raised = ops::AddScalar(b.In("raise"), doubled, 1.0);
  raised.node->set_placement(PlacedOn(Target::kScalar));
  graph.AddResult(raised);
  graph.set_stage(Stage::kPlanned);
  Plan plan;
  plan.segments = {{Device::kMetal, {}, Device::kCpu}, {Device::kCpu, {}}};
  for (int32_t node : {1, 2}) plan.segments[node - 1].steps.emplace_back().node = node;
  plan.slots = {MakeSlot(0, Device::kCpu, 0, 0, 0), MakeSlot(1, Device::kCpu, 256, 0, 1),
                MakeSlot(2, Device::kCpu, 0, 1, 1)};
  plan.arenas = {{Device::kCpu, 512, 0, 0}};
  graph.set_plan(plan);
  return graph;
}

TEST(VerifyPlan, WantsNoCopiesWhereDevicesShareMemory) {
  EXPECT_EQ(Verify(SharedMemory()), absl::OkStatus());

  Graph own_memory = SharedMemory();
  Plan plan = *own_memory.plan();
  plan.segments[0].shared_space.reset();
  own_memory.set_plan(plan);
  EXPECT_THAT(Verify(own_memory).ToString(), HasSubstr("which it reads, is available on metal"));

  Graph slot_elsewhere = SharedMemory();
  plan = *slot_elsewhere.plan();
  plan.slots[1].space = Device::kMetal;
  slot_elsewhere.set_plan(plan);
  EXPECT_THAT(Verify(slot_elsewhere).ToString(), HasSubstr("lie outside the arena"));
}

TEST(VerifyPlan, SeesOverlapsBetweenDevicesThatShareMemory) {
  Graph graph = SharedMemory();
  Plan plan = *graph.plan();
  plan.slots[2].offset = 256;
  graph.set_plan(plan);
  EXPECT_THAT(Verify(graph).ToString(), HasSubstr("overlap those of %double (scale) in step 1"));
  plan.slots[2].alias_of = ValueRef{1, 0};  // the cpu works in place on what metal has computed
  graph.set_plan(plan);
  EXPECT_EQ(Verify(graph), absl::OkStatus());
}

// A result is read when the last step is over, so not even that step may work on it in place.
TEST(VerifyPlan, RefusesToTakeOverAResult) {
  Graph graph("results");
  Value x = graph.AddInput("x", ValueType::F32({1, 64}))->output();
  GraphBuilder b(&graph);
  Value doubled = ops::Scale(b.In("double"), x, 2.0);
  doubled.node->set_placement(PlacedOn(Target::kScalar));
  graph.AddResult(doubled);
  graph.set_stage(Stage::kPlanned);
  Step run;
  run.node = 1;
  Plan plan;
  plan.segments = {{Device::kCpu, {run}}};
  plan.slots = {MakeSlot(0, Device::kCpu, 0, 0, 0), MakeSlot(1, Device::kCpu, 0, 0, 0)};
  plan.slots[1].alias_of = ValueRef{0, 0};
  plan.arenas = {{Device::kCpu, 256, 0, 256}};
  graph.set_plan(plan);
  EXPECT_EQ(Verify(graph), absl::OkStatus());
  graph.AddResult(x);
  EXPECT_THAT(Verify(graph).ToString(),
              HasSubstr("takes over the memory of %x (input), which holds a result"));
}

// Every value alive at once and every one a view of the first: quadratic pairs, linear check.
TEST(VerifyPlan, ChecksManyViewsOfOneValue) {
  constexpr int32_t kViews = 50000;
  Graph graph("views");
  Value x = graph.AddInput("x", ValueType::F32({1, 64}))->output();
  GraphBuilder b(&graph);
  Plan plan;
  plan.segments = {{Device::kCpu, {}}};
  plan.slots = {MakeSlot(0, Device::kCpu, 0, 0, kViews - 1)};
  for (int32_t i = 1; i <= kViews; ++i) {
    Value view = ops::Reshape(b, x, {64});
    view.node->set_placement(PlacedOn(Target::kScalar));
    Step step;
    step.node = i;
    plan.segments[0].steps.push_back(step);
    plan.slots.push_back(MakeSlot(i, Device::kCpu, 0, i - 1, kViews - 1));
    plan.slots.back().alias_of = ValueRef{0, 0};
    graph.AddResult(view);
  }
  plan.arenas = {{Device::kCpu, 256, 0, 256}};
  graph.set_plan(plan);
  graph.set_stage(Stage::kPlanned);
  EXPECT_EQ(Verify(graph), absl::OkStatus());
}

}  // namespace
}  // namespace infer
