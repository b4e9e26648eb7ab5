// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "ir/verify/verifier.h"
#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::GraphOf;
using test::TestMachine;
using ::testing::HasSubstr;

// A planned graph with its slots by the name of their value's node. T is 1 to 8 throughout, so that
// f32[T,16] takes 512 bytes.
struct Planned {
  explicit Planned(std::string_view inputs, std::string_view body,
                   const TestMachine& machine = TestMachine()) {
    graph = GraphOf(StrCat("graph @g stage(bound) symbols(T = 1..8, R = 1..2, S = 1..32) (", inputs,
                           ") {", body, "}"));
    PassContext context = machine.Context();
    for (auto make : {MakePlaceNodes, MakeScheduleNodes, MakePlanMemory}) {
      std::unique_ptr<Pass> pass = make();
      status = pass->Run(graph, context).status();
      if (!status.ok()) return;
      graph.set_stage(pass->gives());
    }
    absl::Status valid = Verify(graph);
    EXPECT_TRUE(valid.ok()) << valid;
    for (const Slot& made : graph.plan()->slots) {
      slots[graph.nodes()[made.value.node]->result().name] = made;
    }
  }
  const Slot& slot(const std::string& name) const { return slots.at(name); }
  const Arena& arena() const { return graph.plan()->arenas.at(0); }
  bool Shares(const std::string& a, const std::string& b) const {
    return slot(a).offset == slot(b).offset && slot(a).alias_of == slot(b).value;
  }

  Graph graph;
  absl::Status status;
  std::map<std::string, Slot> slots;
};

TEST(PlanMemory, GivesEveryTensorThatIsNoWeightASlotOfItsLargestSize) {
  Planned planned("%x: f32[T,16], %b: batch", R"(
      %w = weight() {name = "w"} : f32[4,16]
      %y = linear(%x, %w) : f32[T,4]
      return %y)");
  EXPECT_EQ(planned.slots.size(), 2u);
  EXPECT_EQ(planned.slot("x").bytes, 8u * 16 * 4);
  EXPECT_EQ(planned.slot("y").bytes, 8u * 4 * 4);
}

TEST(PlanMemory, AlignsSlotsTo64Bytes) {
  Planned planned("%x: f32[T,3], %z: f32[3]", R"(
      %a = copy(%x) : f32[T,3]
      %c = copy(%z) : f32[3]
      return %a, %c)");
  for (const auto& [name, slot] : planned.slots) {
    EXPECT_EQ(slot.offset % 64, 0u) << name;
    EXPECT_EQ(slot.bytes % 64, 0u) << name;
  }
  EXPECT_EQ(planned.slot("x").bytes, 128u);  // 96 rounded up
  EXPECT_EQ(planned.slot("z").bytes, 64u);   // 12 rounded up
}

// A kernel may read any element of its other inputs while it writes the result.
TEST(PlanMemory, DoesNotAddInPlaceIfBothOperandsAreTheSame) {
  Planned planned("%h: f32[T,16]", R"(
      %r = copy(%h) : f32[T,16]
      %y = add(%r, %r) : f32[T,16]
      return %y)");
  EXPECT_FALSE(planned.slot("y").alias_of.has_value());
}

// x dies with the first copy. A thread that is already at the second one must not write where a
// late thread still reads x.
TEST(PlanMemory, MemoryIsNotReusedBeforeAllThreadsHaveMet) {
  constexpr std::string_view kCopies = R"(
      %a = copy(%x) : f32[T,16]
      %b = copy(%a) : f32[T,16]
      %c = copy(%b) : f32[T,16]
      return %c)";
  TestMachine serial;
  EXPECT_EQ(Planned("%x: f32[T,16]", kCopies, serial).arena().bytes, 2u * 512);
  TestMachine sliced;
  sliced.policy.rules = {test::RuleFor("all", {Target::kParallel})};
  sliced.catalog.SetDomain("copy", Target::kParallel, PartitionDomain::kRows);
  Planned planned("%x: f32[T,16]", kCopies, sliced);
  for (const Step& step : planned.graph.plan()->segments[0].steps) {
    EXPECT_FALSE(step.barrier_after);
  }
  EXPECT_EQ(planned.arena().bytes, 4u * 512);
  sliced.catalog.SetDomain("copy", Target::kParallel, PartitionDomain::kColumns);
  EXPECT_EQ(Planned("%x: f32[T,16]", kCopies, sliced).arena().bytes, 2u * 512);
}

// A machine with silu on metal and everything else on scalar.
TestMachine MachineWithMetal() {
  TestMachine machine;
  machine.policy.rules = {test::RuleFor("all", {Target::kMetal, Target::kScalar})};
  machine.catalog.Add("silu", Target::kMetal);
  return machine;
}

TEST(PlanMemory, DevicesThatShareMemoryShareTheArena) {
  TestMachine machine = MachineWithMetal();
  machine.catalog.ShareMemory();
  Planned planned("%x: f32[T,16]", R"(
      %a = copy(%x) : f32[T,16]
      %b = silu(%a) : f32[T,16]
      %c = copy(%b) : f32[T,16]
      return %c)",
                  machine);
  EXPECT_EQ(planned.graph.plan()->segments.size(), 3u);
  EXPECT_EQ(planned.graph.plan()->arenas.size(), 1u);
  EXPECT_EQ(planned.arena().bytes, 2u * 512);
  EXPECT_TRUE(planned.Shares("b", "a"));
}

// Two ranks whose collectives work in the cpu's memory.
TestMachine MachineWithRanks() {
  TestMachine machine;
  machine.policy.rules = {test::RuleFor("all", {Target::kRanks, Target::kScalar})};
  machine.catalog.Add("all_gather", Target::kRanks)
      .Add("all_reduce", Target::kRanks)
      .Add("all_rows", Target::kRanks);
  machine.catalog.ShareMemory();
  return machine;
}

TEST(PlanMemory, ResultsOfCollectivesHaveTheBeginningForThemselves) {
  Planned planned("%x: f32[T,16]", R"(
      %a = silu(%x) : f32[T,16]
      %b = all_gather(%a) {axis = 1, ranks = 2} : f32[T,32]
      %c = copy(%b) : f32[T,32]
      %d = all_reduce(%c) {ranks = 2} : f32[T,32]
      %e = mul(%d, %b) : f32[T,32]
      return %e)",
                  MachineWithRanks());
  EXPECT_EQ(planned.slot("b").offset, 0u);
  EXPECT_EQ(planned.slot("d").offset, 1024u);
  for (const char* own : {"x", "a", "c", "e"}) EXPECT_GE(planned.slot(own).offset, 2048u) << own;
  EXPECT_EQ(planned.arena().bytes, 2048u + 1024);  // c and e in turn
}

// Every rank would do it.
TEST(PlanMemory, NoOpWorksInPlaceOnTheResultOfACollective) {
  Planned planned("%x: f32[T,16]", R"(
      %a = all_gather(%x) {axis = 1, ranks = 2} : f32[T,32]
      %v = reshape(%a) {dims = [0,4,8]} : f32[T,4,8]
      %b = silu(%v) : f32[T,4,8]
      %c = silu(%b) : f32[T,4,8]
      return %c)",
                  MachineWithRanks());
  EXPECT_TRUE(planned.Shares("v", "a"));
  EXPECT_FALSE(planned.slot("b").alias_of);
  EXPECT_TRUE(planned.Shares("c", "b"));
}

// A rank at the gather of d may still read b. At that of e no rank does: all have come to d.
TEST(PlanMemory, CommonMemoryIsUsedAgainAfterTheNextCollective) {
  Planned planned("%x: f32[T,16]", R"(
      %b = all_gather(%x) {axis = 1, ranks = 2} : f32[T,32]
      %c = copy(%b) : f32[T,32]
      %d = all_reduce(%c) {ranks = 2} : f32[T,32]
      %f = copy(%d) : f32[T,32]
      %e = all_reduce(%f) {ranks = 2} : f32[T,32]
      %g = copy(%e) : f32[T,32]
      return %g)",
                  MachineWithRanks());
  EXPECT_EQ(planned.slot("b").offset, 0u);
  EXPECT_EQ(planned.slot("d").offset, 1024u);
  EXPECT_EQ(planned.slot("e").offset, 0u);
}

// The product of each rank may write its columns where all read them.
TEST(PlanMemory, JoinedColumnsHaveTheirMemoryFromTheStepThatComputesThem) {
  Planned planned("%x: f32[T,16]", R"(
      %a = silu(%x) : f32[T,16]
      %b = all_gather(%a) {axis = 1, ranks = 2} : f32[T,32]
      %c = slice_columns(%b) {begin = 0, columns = 16} : f32[T,16]
      %d = all_gather(%c) {axis = 1, ranks = 2} : f32[T,32]
      %e = all_reduce(%d) {ranks = 2} : f32[T,32]
      return %e)",
                  MachineWithRanks());
  EXPECT_EQ(planned.slot("b").first_step, planned.slot("a").first_step);
  EXPECT_EQ(planned.slot("d").first_step, planned.slot("c").first_step);
  EXPECT_NE(planned.slot("d").offset, planned.slot("b").offset) << "others may still read it";
  EXPECT_EQ(planned.slot("e").first_step, 4) << "sums are computed by the collective itself";
}

TEST(PlanMemory, SharedRowsHaveTheirMemoryFromTheStepThatComputesThem) {
  Planned planned("%x: f32[T,16]", R"(
      %c = copy(%x) : f32[T,16]
      %d = silu(%c) : f32[T,16]
      %e, %f = all_rows(%c, %d) {ranks = 2} : f32[T,16], f32[T,16]
      %g = mul(%e, %f) : f32[T,16]
      return %g)",
                  MachineWithRanks());
  const std::vector<Node*> nodes = planned.graph.nodes();
  std::vector<int32_t> first_steps;
  for (const Slot& slot : planned.graph.plan()->slots) {
    if (!nodes[slot.value.node]->Is(ops::kAllRows)) continue;
    first_steps.push_back(slot.first_step);
    EXPECT_LT(slot.offset, 1024u) << "at the beginning of the arena";
  }
  EXPECT_EQ(first_steps, (std::vector<int32_t>{0, 1}));
}

TEST(PlanMemory, ColumnsFromBeforeAnotherCollectiveAreJoinedByTheirOwn) {
  Planned planned("%x: f32[T,16]", R"(
      %a = silu(%x) : f32[T,16]
      %b = copy(%x) : f32[T,16]
      %c = all_gather(%b) {axis = 1, ranks = 2} : f32[T,32]
      %d = all_gather(%a) {axis = 1, ranks = 2} : f32[T,32]
      %e = mul(%c, %d) : f32[T,32]
      return %e)",
                  MachineWithRanks());
  EXPECT_EQ(planned.slot("c").first_step, planned.slot("b").first_step);
  EXPECT_EQ(planned.slot("d").first_step, planned.slot("c").first_step + 2);
}

// The verifier's view of the same, after `damage`.
template <class Damage>
std::string ErrorOfCommon(Damage damage) {
  Planned planned("%x: f32[T,16]", R"(
      %b = all_gather(%x) {axis = 1, ranks = 2} : f32[T,32]
      %c = silu(%b) : f32[T,32]
      %d = all_reduce(%c) {ranks = 2} : f32[T,32]
      %e = copy(%d) : f32[T,32]
      return %e)",
                  MachineWithRanks());
  Plan plan = *planned.graph.plan();
  damage(plan);
  planned.graph.set_plan(plan);
  return std::string(ToStd(Verify(planned.graph).message()));
}

// Slots, in order: 0 x, 1 b, 2 c, 3 d, 4 e.
TEST(PlanMemory, TheVerifierKeepsCommonMemoryApart) {
  EXPECT_EQ(ErrorOfCommon([](Plan&) {}), "");
  EXPECT_THAT(ErrorOfCommon([](Plan& plan) { plan.slots[3].offset = plan.slots[1].offset; }),
              HasSubstr("overlap those of %b"));
  EXPECT_THAT(ErrorOfCommon([](Plan& plan) {
                plan.slots[2].offset = plan.slots[1].offset;
                plan.slots[2].alias_of = plan.slots[1].value;
              }),
              HasSubstr("of %c (silu) on cpu: lies before the end of the results of collectives"));
  EXPECT_THAT(ErrorOfCommon([](Plan& plan) {
                std::swap(plan.slots[0].offset, plan.slots[1].offset);
                plan.arenas[0].bytes += 8192;
              }),
              HasSubstr("lies before the end of the results of collectives"));
}

TEST(PlanMemory, ADeviceWithMemoryOfItsOwnHasAnArenaOfItsOwn) {
  Planned planned("%x: f32[T,16]", R"(
      %w = weight() {name = "w"} : f32[4,16]
      %a = copy(%x) : f32[T,16]
      %b = silu(%w) : f32[4,16]
      return %a, %b)",
                  MachineWithMetal());
  EXPECT_EQ(planned.slot("a").space, Device::kCpu);
  const std::vector<Slot>& slots = planned.graph.plan()->slots;
  ASSERT_EQ(slots.size(), 4u);  // x, a, and b on both sides
  EXPECT_EQ(slots[2].value, slots[3].value);
  EXPECT_EQ(slots[2].space, Device::kCpu);
  EXPECT_EQ(slots[3].space, Device::kMetal);
  EXPECT_EQ(slots[3].offset, 0u);
  ASSERT_EQ(planned.graph.plan()->arenas.size(), 2u);
  EXPECT_EQ(planned.arena().space, Device::kCpu);
  EXPECT_EQ(planned.graph.plan()->arenas[1].bytes, 4u * 16 * 4);
}

// Metal may copy a whenever it gets there, so that c must not lie where a does before the cpu
// waits.
TEST(PlanMemory, KeepsWhatAQueueCopiesUntilTheCpuWaits) {
  Planned planned("%x: f32[T,16]", R"(
      %a = copy(%x) : f32[T,16]
      %b = silu(%a) : f32[T,16]
      %c = copy(%x) : f32[T,16]
      %d = copy(%c) : f32[T,16]
      %e = mul(%d, %b) : f32[T,16]
      return %e)",
                  MachineWithMetal());
  EXPECT_EQ(planned.graph.plan()->segments.size(), 4u);
  EXPECT_EQ(planned.arena().space, Device::kCpu);
  // Steps: 0 a, 1 to 3 on metal, 4 c, 5 d, 6 e after the wait.
  for (const Slot& slot : planned.graph.plan()->slots) {
    if (slot.value.node != 1 || slot.space != Device::kCpu) continue;
    EXPECT_EQ(slot.last_step, 5);
    EXPECT_NE(planned.slot("c").offset, slot.offset);
    EXPECT_NE(planned.slot("d").offset, slot.offset);
  }
}

TEST(PlanMemory, WorksInPlaceOnACopy) {
  Planned planned("%x: f32[T,16]", "%b = silu(%x) : f32[T,16] return %b", MachineWithMetal());
  const std::vector<Slot>& slots = planned.graph.plan()->slots;
  ASSERT_EQ(slots.size(), 4u);
  EXPECT_EQ(slots[3].alias_of, (ValueRef{0, 0}));
  EXPECT_EQ(planned.graph.plan()->arenas[1].bytes, 512u);
}

// The product reads all of x while a thread that is already at the sum would overwrite it.
TEST(PlanMemory, DoesNotOverwriteWhatALateThreadReads) {
  TestMachine machine;
  machine.policy.rules = {test::RuleFor("all", {Target::kParallel})};
  machine.catalog.Add("linear", Target::kParallel);
  for (std::string_view op : {"silu", "add"}) {
    machine.catalog.SetDomain(op, Target::kParallel, PartitionDomain::kRows);
  }
  Planned planned("%x: f32[T,16]", R"(
      %w = weight() {name = "w"} : f32[16,16]
      %a = linear(%x, %w) : f32[T,16]
      %b = silu(%x) : f32[T,16]
      %c = add(%b, %a) : f32[T,16]
      return %c)",
                  machine);
  EXPECT_FALSE(planned.slot("b").alias_of);
  EXPECT_TRUE(planned.Shares("c", "b"));
}

TEST(PlanMemory, DoesNotWorkInPlaceIfUnitsReadMoreThanTheirPart) {
  TestMachine machine;
  machine.policy.rules = {test::RuleFor("all", {Target::kParallel})};
  machine.catalog.SetDomain("silu", Target::kParallel, PartitionDomain::kTiles);
  Planned planned("%x: f32[T,16]", "%b = silu(%x) : f32[T,16] return %b", machine);
  EXPECT_FALSE(planned.slot("b").alias_of);
}

TEST(PlanMemory, GivesTheSecondResultMemoryOfItsOwn) {
  TestMachine machine;
  machine.catalog.Add("add_rms_norm", Target::kScalar);
  Planned planned("%h: f32[T,16], %y: f32[T,16]", R"(
      %w = weight() {name = "w"} : f32[16]
      %x = copy(%h) : f32[T,16]
      %s, %n = add_rms_norm(%x, %y, %w) {eps = 0.5} : f32[T,16], f32[T,16]
      return %s, %n)",
                  machine);
  std::vector<Slot> slots;
  for (const Slot& slot : planned.graph.plan()->slots) {
    if (planned.graph.nodes()[slot.value.node]->result().name == "s") slots.push_back(slot);
  }
  ASSERT_EQ(slots.size(), 2u);
  EXPECT_EQ(slots[0].offset, planned.slot("x").offset);
  EXPECT_FALSE(slots[1].alias_of.has_value());
}

TEST(PlanMemory, GivesACacheNoMemoryEvenIfATensorIsComputedBesideIt) {
  TestMachine machine;
  machine.catalog.Add("attention_inputs", Target::kScalar).Add("attention", Target::kScalar);
  Planned planned("%q: f32[T,16], %k: f32[T,8], %b: batch", R"(
      %w = weight() {name = "n"} : f32[4]
      %kv0 = kv_state() {id = 0} : kv<f16[2,4]>
      %kv, %h = attention_inputs(%kv0, %q, %k, %k, %w, %w, %b) {eps = 0.5, base = 100.0, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : kv<f16[2,4]>, f32[T,4,4]
      %y = attention(%h, %kv, %b) {scale = 0.5} : f32[T,16]
      return %y)",
                  machine);
  EXPECT_EQ(planned.slots.size(), 4u);  // q, k, h, y
  EXPECT_EQ(planned.slot("kv").value.result, 1);
  EXPECT_FALSE(planned.slot("kv").alias_of.has_value());
}

TEST(PlanMemory, KeepsAValueFromItsStepToItsLastReader) {
  Planned planned("%x: f32[T,16]", R"(
      %a = copy(%x) : f32[T,16]
      %b = copy(%a) : f32[T,16]
      %c = copy(%a) : f32[T,16]
      %d = add(%c, %b) : f32[T,16]
      return %d)");
  EXPECT_EQ(planned.slot("a").first_step, 0);
  EXPECT_EQ(planned.slot("a").last_step, 2);
  EXPECT_EQ(planned.slot("b").first_step, 1);
  EXPECT_EQ(planned.slot("b").last_step, 3);
}

TEST(PlanMemory, KeepsInputsFromTheFirstStepOn) {
  Planned planned("%x: f32[T,16], %late: f32[T,16]", R"(
      %a = copy(%x) : f32[T,16]
      %b = copy(%a) : f32[T,16]
      %c = mul(%b, %late) : f32[T,16]
      return %c)");
  EXPECT_EQ(planned.slot("late").first_step, 0);
  EXPECT_EQ(planned.slot("late").last_step, 2);
  EXPECT_EQ(planned.slot("x").last_step, 0);
}

TEST(PlanMemory, KeepsAnInputThatNobodyReads) {
  Planned planned("%x: f32[T,16], %unread: f32[T,16]", R"(
      %a = copy(%x) : f32[T,16]
      return %a)");
  EXPECT_NE(planned.slot("unread").offset, planned.slot("x").offset);
  EXPECT_EQ(planned.arena().bytes, 3u * 512);
}

TEST(PlanMemory, KeepsResultsToTheLastStep) {
  Planned planned("%x: f32[T,16]", R"(
      %early = copy(%x) : f32[T,16]
      %a = copy(%x) : f32[T,16]
      %b = copy(%a) : f32[T,16]
      return %b, %early)");
  EXPECT_EQ(planned.slot("early").last_step, 2);
  EXPECT_EQ(planned.arena().bytes, 3u * 512);  // at the end a, b and early; x is over
}

TEST(PlanMemory, UsesMemoryAgain) {
  std::string body = "%v0 = copy(%x) : f32[T,16]\n";
  for (int i = 1; i < 20; ++i) {
    StrAppend(&body, "%v", i, " = copy(%v", i - 1, ") : f32[T,16]\n");
  }
  Planned planned("%x: f32[T,16]", body + "return %v19");
  EXPECT_EQ(planned.arena().bytes, 2u * 512);
  EXPECT_EQ(planned.arena().lower_bound, 2u * 512);
}

// b takes the first 64 bytes that x leaves; the other 448 and the 512 of y together hold c.
TEST(PlanMemory, JoinsGapsForALargerValue) {
  Planned planned("%x: f32[T,16], %y: f32[T,16]", R"(
      %a = row_sum_squares(%x) : f32[T]
      %b = row_sum_squares(%y) : f32[T]
      %c = broadcast_rows(%a) {columns = 30} : f32[T,30]
      return %b, %c)");
  EXPECT_EQ(planned.slot("b").offset, 0u);
  EXPECT_EQ(planned.slot("c").offset, 64u);
  EXPECT_EQ(planned.slot("c").bytes, 960u);
  EXPECT_EQ(planned.arena().bytes, 2u * 512 + 64);
}

TEST(PlanMemory, TakesTheSmallestGapThatHoldsAValue) {
  Planned planned("%large: f32[T,64], %kept: f32[T,16], %small: f32[T,16]", R"(
      %w = weight() {name = "w"} : f32[1,64]
      %v = weight() {name = "v"} : f32[1,16]
      %a = linear(%large, %w) : f32[T,1]
      %b = linear(%small, %v) : f32[T,1]
      %c = copy(%kept) : f32[T,16]
      return %a, %b, %c, %kept)");
  EXPECT_EQ(planned.slot("c").offset, planned.slot("small").offset);
}

// Alive: x and n at step 0, n and wide at step 1. What the arena needs beyond that is a gap.
TEST(PlanMemory, ReportsTheLargestSumAliveAtOneStep) {
  Planned planned("%x: f32[T,16]", R"(
      %n = row_sum_squares(%x) : f32[T]
      %wide = broadcast_rows(%n) {columns = 64} : f32[T,64]
      return %wide)");
  EXPECT_EQ(planned.arena().lower_bound, 64u + 8 * 64 * 4);
  EXPECT_GE(planned.arena().bytes, planned.arena().lower_bound);
}

TEST(PlanMemory, WorksInPlaceWhereTheInputDies) {
  Planned planned("%x: f32[T,16]", R"(
      %a = copy(%x) : f32[T,16]
      %b = silu(%a) : f32[T,16]
      %c = silu(%b) : f32[T,16]
      return %c)");
  EXPECT_TRUE(planned.Shares("b", "a"));
  EXPECT_TRUE(planned.Shares("c", "b"));
  EXPECT_EQ(planned.arena().bytes, 2u * 512);
}

TEST(PlanMemory, TakesOverAnInputOfTheGraph) {
  Planned planned("%x: f32[T,16]", "%a = silu(%x) : f32[T,16] return %a");
  EXPECT_TRUE(planned.Shares("a", "x"));
  EXPECT_EQ(planned.arena().bytes, 512u);
}

TEST(PlanMemory, DoesNotOverwriteWhatIsReadLater) {
  Planned planned("%x: f32[T,16]", R"(
      %a = silu(%x) : f32[T,16]
      %b = mul(%a, %x) : f32[T,16]
      return %b)");
  EXPECT_FALSE(planned.slot("a").alias_of);
  EXPECT_NE(planned.slot("a").offset, planned.slot("x").offset);
  EXPECT_TRUE(planned.Shares("b", "a"));
}

TEST(PlanMemory, DoesNotOverwriteAValueThatIsReadTwiceByTheNode) {
  Planned planned("%x: f32[T,16]", "%a = mul(%x, %x) : f32[T,16] return %a");
  EXPECT_FALSE(planned.slot("a").alias_of);
}

// A result is read when all steps are over, so the last step must leave it alone too.
TEST(PlanMemory, DoesNotOverwriteAResultOfTheGraph) {
  Planned planned("%x: f32[T,16]", R"(
      %a = copy(%x) : f32[T,16]
      %b = silu(%a) : f32[T,16]
      return %a, %b)");
  EXPECT_FALSE(planned.slot("b").alias_of);
  EXPECT_NE(planned.slot("b").offset, planned.slot("a").offset);
}

TEST(PlanMemory, DoesNotOverwriteAResultThroughAView) {
  Planned planned("%x: f32[T,16]", R"(
      %a = copy(%x) : f32[T,16]
      %v = reshape(%a) {dims = [0, 4, 4]} : f32[T,4,4]
      %b = silu(%v) : f32[T,4,4]
      return %a, %b)");
  EXPECT_FALSE(planned.slot("b").alias_of);
}

TEST(PlanMemory, DoesNotWriteIntoAWeight) {
  Planned planned("", R"(
      %w = weight() {name = "w"} : f32[16]
      %a = silu(%w) : f32[16]
      return %a)");
  EXPECT_FALSE(planned.slot("a").alias_of);
}

TEST(PlanMemory, DoesNotWorkInPlaceForAnOpThatCannot) {
  Planned planned("%x: f32[T,16]", "%a = copy(%x) : f32[T,16] return %a");
  EXPECT_FALSE(planned.slot("a").alias_of);
}

TEST(PlanMemory, ViewsShareTheMemoryOfWhatTheyShow) {
  Planned planned("%x: f32[T,16]", R"(
      %a = copy(%x) : f32[T,16]
      %v = reshape(%a) {dims = [0, 4, 4]} : f32[T,4,4]
      %u = reshape(%v) {dims = [0, 16]} : f32[T,16]
      %b = copy(%u) : f32[T,16]
      return %b)");
  EXPECT_TRUE(planned.Shares("v", "a"));
  EXPECT_TRUE(planned.Shares("u", "v"));
}

TEST(PlanMemory, AViewKeepsWhatItShows) {
  Planned planned("%x: f32[T,16]", R"(
      %a = copy(%x) : f32[T,16]
      %v = reshape(%a) {dims = [0, 4, 4]} : f32[T,4,4]
      %b = copy(%x) : f32[T,16]
      %c = copy(%b) : f32[T,16]
      %d = copy(%v) : f32[T,4,4]
      return %c, %d)");
  EXPECT_EQ(planned.slot("a").last_step, 1);
  EXPECT_NE(planned.slot("b").offset, planned.slot("a").offset);
  EXPECT_NE(planned.slot("c").offset, planned.slot("a").offset);
}

TEST(PlanMemory, DoesNotOverwriteThroughAViewWhatIsReadLater) {
  Planned planned("%x: f32[T,16]", R"(
      %a = copy(%x) : f32[T,16]
      %v = reshape(%a) {dims = [0, 16]} : f32[T,16]
      %b = silu(%v) : f32[T,16]
      %c = add(%b, %a) : f32[T,16]
      return %c)");
  EXPECT_FALSE(planned.slot("b").alias_of);
  EXPECT_TRUE(planned.Shares("c", "b"));
}

TEST(PlanMemory, DoesNotOverwriteWhatALaterViewShows) {
  Planned planned("%x: f32[T,16]", R"(
      %a = copy(%x) : f32[T,16]
      %b = silu(%a) : f32[T,16]
      %v = reshape(%a) {dims = [0, 16]} : f32[T,16]
      %c = add(%b, %v) : f32[T,16]
      return %c)");
  EXPECT_FALSE(planned.slot("b").alias_of);
}

TEST(PlanMemory, RefusesAViewOfAWeight) {
  Planned planned("", R"(
      %w = weight() {name = "w"} : f32[16]
      %v = reshape(%w) {dims = [4, 4]} : f32[4,4]
      return %v)");
  EXPECT_THAT(planned.status.ToString(),
              HasSubstr("node %v (reshape): is a view of %w (weight), which has no memory in the "
                        "arena; copy it first"));
}

TEST(PlanMemory, GivesAKernelItsWorkspaceForItsStep) {
  TestMachine machine;
  machine.catalog.SetWorkspace("copy", Target::kScalar, 100);
  Planned planned("%x: f32[T,16]", R"(
      %a = copy(%x) : f32[T,16]
      %b = copy(%a) : f32[T,16]
      return %b)",
                  machine);
  const std::vector<Step>& steps = planned.graph.plan()->segments[0].steps;
  EXPECT_EQ(steps[0].workspace_bytes, 128u);
  EXPECT_EQ(steps[1].workspace_bytes, 128u);
  EXPECT_EQ(steps[0].workspace_offset % 64, 0u);
  EXPECT_EQ(steps[0].workspace_offset, steps[1].workspace_offset) << "used by one step at a time";
  EXPECT_EQ(planned.arena().lower_bound, 2u * 512 + 128);
}

TEST(PlanMemory, RefusesAWorkspaceThatNoMemoryHolds) {
  TestMachine machine;
  machine.catalog.SetWorkspace("copy", Target::kScalar, ~uint64_t{0});
  Planned planned("%x: f32[T,16]", "%a = copy(%x) : f32[T,16] return %a", machine);
  EXPECT_EQ(planned.status.code(), absl::StatusCode::kResourceExhausted);
}

TEST(PlanMemory, PlansAGraphThatReturnsItsInput) {
  Planned planned("%x: f32[T,16]", "return %x");
  EXPECT_EQ(planned.arena().bytes, 512u);
}

TEST(PlanMemory, GivesEachResultOfANodeItsSlot) {
  Planned planned("%x: f32[R,16]", R"(
      %i, %p = argmax(%x) : i32[R], f32[R]
      return %i)");
  const std::vector<Slot>& slots = planned.graph.plan()->slots;
  ASSERT_EQ(slots.size(), 3u);
  EXPECT_EQ(slots[1].value, (ValueRef{1, 0}));
  EXPECT_EQ(slots[2].value, (ValueRef{1, 1}));
  EXPECT_NE(slots[1].offset, slots[2].offset);
}

}  // namespace
}  // namespace infer
