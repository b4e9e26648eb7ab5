// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "ir/policy/machine_text.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::ExpectRefusal;
using test::ExpectUnchanged;
using test::GraphOf;
using test::RuleFor;
using test::RunPass;
using test::TestMachine;
using ::testing::HasSubstr;

// Products of one operation a nanosecond, and a network of `gb_s`.
std::string Describe(std::string_view gb_s) {
  return StrCat(R"(name: 'test' threads: 1
      target { target: SIMD step_ns: 10 }
      target { target: RANKS step_ns: 100 }
      kernel { target: SIMD gb_s: 100 cached_gb_s: 100 rate { rows: 1 gop_s: 1 } }
      kernel { target: RANKS gb_s: )",
                gb_s, " cached_gb_s: ", gb_s, " }");
}

constexpr std::string_view kSlow = "0.1";

TestMachine MachineFor(std::string_view gb_s = kSlow) {
  TestMachine machine;
  machine.description = ParseMachine(Describe(gb_s), "test").value();
  machine.policy.shard.ranks = 4;
  Rule collectives = RuleFor("collectives", {Target::kRanks});
  collectives.op = "all_*";
  machine.policy.rules = {collectives, RuleFor("all", {Target::kSimd, Target::kScalar})};
  machine.catalog.ShareMemory()
      .Add("all_gather", Target::kRanks)
      .Add("linear", Target::kSimd)
      .Add("select_rows", Target::kSimd)
      .SetNumerics("all_gather", Target::kRanks, "copy")
      .SetNumerics("linear", Target::kSimd, "f32")
      .SetNumerics("select_rows", Target::kSimd, "copy");
  return machine;
}

std::string Planned(std::string_view text, const TestMachine& machine) {
  return PrintGraph(test::PlannedGraph(text, machine));
}

std::string WithTokens(std::string_view tokens, std::string_view result = "%r") {
  return StrCat("graph @g stage(bound) symbols(T = ", tokens,
                R"(, R = 1..1) (%x: f32[T,64], %batch: batch) {
      %w = weight() {name = "w", parts = 4} : f32[32,64]
      %v = weight() {name = "v", parts = 4} : f32[32,128]
      %o = linear(%x, %w) : f32[T,32]
      %a = all_gather(%o) {axis = 1, ranks = 4} : f32[T,128]
      %p = linear(%a, %v) : f32[T,32]
      %b = all_gather(%p) {axis = 1, ranks = 4} : f32[T,128]
      %r = select_rows(%b, %batch) : f32[R,128]
      return )",
                result, "\n    }");
}

TEST(HalveCalls, LetsHalvesTakeTurnsWhereMessagesTakeTime) {
  const TestMachine machine = MachineFor();
  const std::string before = Planned(WithTokens("1..64"), machine);
  const Graph graph = RunPass(MakeHalveCalls(), before, machine);
  ASSERT_TRUE(graph.plan()->halves.has_value());
  EXPECT_EQ(graph.plan()->halves->min_tokens, 2);
  EXPECT_EQ(graph.plan()->halves->reason,
            "64 tokens take 0.91 ms as two halves, of which one computes while the messages of the "
            "other travel, and 1.28 ms as a whole");
  // Nothing else has changed.
  Graph again = GraphOf(before);
  Plan plan = *again.plan();
  plan.halves = graph.plan()->halves;
  again.set_plan(std::move(plan));
  EXPECT_EQ(PrintGraph(graph), PrintGraph(again));
  ExpectUnchanged(MakeHalveCalls(), PrintGraph(graph), machine);
}

TEST(HalveCalls, BeginsWhereItPays) {
  // A product takes 50 us, however few its rows are.
  TestMachine machine = MachineFor();
  machine.description->kernels[0].fixed_ns = 50000;
  const Graph graph = RunPass(MakeHalveCalls(), Planned(WithTokens("1..64"), machine), machine);
  ASSERT_TRUE(graph.plan()->halves.has_value());
  EXPECT_GT(graph.plan()->halves->min_tokens, 16);
  EXPECT_LE(graph.plan()->halves->min_tokens, 64);
}

TEST(HalveCalls, LeavesFastNetworksAlone) {
  TestMachine machine = MachineFor("1000");
  machine.description->kernels[0].fixed_ns = 1000;
  ExpectRefusal(
      MakeHalveCalls(), Planned(WithTokens("1..64"), machine),
      "calls are not halved: 64 tokens take 0.79 ms as a whole and 0.792 ms as two halves",
      machine);
}

// As where the thread that sends has no CPU of its own.
TEST(HalveCalls, LeavesCallsWholeThatMessagesDelay) {
  TestMachine machine = MachineFor();
  for (TargetCost& cost : machine.description->targets) {
    if (cost.target == Target::kRanks) cost.beside_ns = 200'000;
  }
  ExpectRefusal(MakeHalveCalls(), Planned(WithTokens("1..64"), machine),
                "calls are not halved: 64 tokens take 1.28 ms as a whole and 1.59 ms as two halves",
                machine);
}

TEST(HalveCalls, LeavesRegimesOfFewTokensAlone) {
  const TestMachine machine = MachineFor();
  ExpectRefusal(MakeHalveCalls(), Planned(WithTokens("33..64"), machine),
                "half of 64 tokens would be in another regime", machine);
}

TEST(HalveCalls, LeavesKernelsAloneWhoseBitsDependOnTheRows) {
  TestMachine machine = MachineFor();
  machine.catalog.SetNumerics("linear", Target::kSimd, "");
  ExpectRefusal(MakeHalveCalls(), Planned(WithTokens("1..64"), machine),
                "the bits of linear may depend on the number of tokens", machine);
}

TEST(HalveCalls, LeavesResultsForEachTokenAlone) {
  const TestMachine machine = MachineFor();
  ExpectRefusal(MakeHalveCalls(), Planned(WithTokens("1..64", "%r, %b"), machine),
                "the result all_gather has a row for each token", machine);
}

TEST(HalveCalls, LeavesFurtherResultsAlone) {
  const TestMachine machine = MachineFor();
  ExpectRefusal(MakeHalveCalls(), Planned(WithTokens("1..64", "%r, %r"), machine),
                "the graph has 2 results", machine);
}

TEST(HalveCalls, LeavesProgramsOfOneProcessAlone) {
  const TestMachine machine = MachineFor();
  ExpectUnchanged(MakeHalveCalls(),
                  Planned(R"(graph @g stage(bound) symbols(T = 1..64) (%x: f32[T,64]) {
      %w = weight() {name = "w"} : f32[32,64]
      %o = linear(%x, %w) : f32[T,32]
      return %o
    })",
                          machine),
                  machine);
}

TEST(HalveCalls, AreVerified) {
  const TestMachine machine = MachineFor();
  Graph graph = RunPass(MakeHalveCalls(), Planned(WithTokens("2..64"), machine), machine);
  for (int64_t tokens : {3, 65, -1}) {
    Plan plan = *graph.plan();
    plan.halves->min_tokens = tokens;
    graph.set_plan(plan);
    EXPECT_THAT(
        std::string(ToStd(Verify(graph).message())),
        HasSubstr(StrCat("calls of at least ", tokens, " tokens as two halves, expected 4 to 64")));
  }
}

TEST(HalveCalls, NeedsAMachine) {
  TestMachine machine = MachineFor();
  const std::string planned = Planned(WithTokens("1..64"), machine);
  machine.description.reset();
  ExpectUnchanged(MakeHalveCalls(), planned, machine);
}

}  // namespace
}  // namespace infer
