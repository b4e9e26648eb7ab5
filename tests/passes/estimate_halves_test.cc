// SPDX-License-Identifier: Apache-2.0
#include "passes/estimate_halves.h"

#include <gtest/gtest.h>

#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "ir/policy/machine_text.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::RuleFor;
using test::TestMachine;

// A product of a row takes 1,000 ns, and its message `bytes_ns`, plus 100 for each exchange and 10
// for each row that this rank writes and reads.
class EstimateHalvesTest : public ::testing::Test {
 protected:
  EstimateHalvesTest() {
    machine_.policy.shard.ranks = 2;
    Rule collectives = RuleFor("collectives", {Target::kRanks});
    collectives.op = "all_*";
    machine_.policy.rules = {collectives, RuleFor("all", {Target::kSimd, Target::kScalar})};
    machine_.catalog.ShareMemory()
        .Add("all_gather", Target::kRanks)
        .Add("linear", Target::kSimd)
        .Add("select_rows", Target::kSimd);
  }

  // Of `layers` products, each with its gather.
  Graph PlannedGraph(int layers) const {
    std::string text =
        "graph @g stage(bound) symbols(T = 1..64, R = 1..1) (%x0: f32[T,50], %batch: batch) {\n";
    for (int i = 0; i < layers; ++i) {
      StrAppend(&text, "%w", i, " = weight() {name = \"w", i, "\", parts = 2} : f32[25,50]\n", "%o",
                i, " = linear(%x", i, ", %w", i, ") : f32[T,25]\n", "%x", i + 1, " = all_gather(%o",
                i, ") {axis = 1, ranks = 2} : f32[T,50]\n");
    }
    StrAppend(&text, "%r = select_rows(%x", layers, ", %batch) : f32[R,50]\nreturn %r\n}");
    return test::PlannedGraph(text, machine_);
  }

  static MachineDescription Machine(double bytes_ns, double local_ns = 0) {
    // 2,500 operations a row; 100 bytes received; 50 elements written and read.
    return ParseMachine(
               StrCat("name: 'test' threads: 4 target { target: SIMD } ",
                      "target { target: RANKS step_ns: 100 } ",
                      "kernel { target: SIMD op: 'linear' rate { rows: 1 gop_s: 2.5 } } ",
                      "kernel { target: RANKS cached_gb_s: ", 100 / bytes_ns,
                      local_ns > 0 ? StrCat(" rate { rows: 1 gop_s: ", 50 / local_ns, " }") : "",
                      " }"),
               "test")
        .value();
  }

  static SymbolValues Prompt(int64_t tokens) { return {.t = tokens, .r = 1, .s = tokens}; }

  TestMachine machine_;
};

TEST_F(EstimateHalvesTest, ExchangesHideBehindLongerProducts) {
  const Graph graph = PlannedGraph(3);
  const MachineDescription machine = Machine(/*bytes_ns=*/500);
  const CallEstimate whole = EstimateWholeCall(graph, machine, Prompt(8));
  EXPECT_NEAR(whole.ns(), 3 * (8000 + 4000 + 100) + 100, 1);
  // Of the first half's exchanges nothing is left, and of the second's the last.
  const CallEstimate halves = EstimateHalves(graph, machine, Prompt(8));
  EXPECT_NEAR(halves.ns(), 3 * 8000 + 2000 + 100 + 100, 1);
  EXPECT_NEAR(halves.hidden_ns, 5 * 2100, 1);
}

TEST_F(EstimateHalvesTest, ProductsHideBehindLongerExchanges) {
  const Graph graph = PlannedGraph(3);
  const MachineDescription machine = Machine(/*bytes_ns=*/3000);
  const CallEstimate halves = EstimateHalves(graph, machine, Prompt(8));
  EXPECT_NEAR(halves.ns(), 4000 + 6 * (12000 + 100) + 100, 1);
}

// The threads that compute write and read the messages.
TEST_F(EstimateHalvesTest, MessagesTakeTimeFromProducts) {
  const Graph graph = PlannedGraph(1);
  const MachineDescription machine = Machine(/*bytes_ns=*/500, /*local_ns=*/100);
  const CallEstimate whole = EstimateWholeCall(graph, machine, Prompt(8));
  EXPECT_NEAR(whole.ns(), 8 * (1000 + 500 + 100) + 100 + 100, 1);
  const CallEstimate halves = EstimateHalves(graph, machine, Prompt(8));
  EXPECT_NEAR(halves.ns(), 2 * (4000 + 400) + 2000 + 100 + 100, 1);
}

// The last exchange has nothing beside it.
TEST_F(EstimateHalvesTest, ExchangesDelayWhatIsComputedBesideThem) {
  const Graph graph = PlannedGraph(3);
  MachineDescription machine = Machine(/*bytes_ns=*/500);
  const double before_ns = EstimateHalves(graph, machine, Prompt(8)).ns();
  machine.targets[1].beside_ns = 70;
  EXPECT_NEAR(EstimateHalves(graph, machine, Prompt(8)).ns(), before_ns + 5 * 70, 1);
  machine.kernels[1].beside_ns = 10;
  EXPECT_NEAR(EstimateHalves(graph, machine, Prompt(8)).ns(), before_ns + 5 * 80, 1);
  EXPECT_NEAR(EstimateWholeCall(graph, machine, Prompt(8)).ns(),
              EstimateWholeCall(graph, Machine(500), Prompt(8)).ns(), 1);
}

TEST_F(EstimateHalvesTest, AreThoseOfCallsThatThePlanHalves) {
  Graph graph = PlannedGraph(3);
  const MachineDescription machine = Machine(/*bytes_ns=*/500);
  Plan plan = *graph.plan();
  plan.halves = {.min_tokens = 8, .reason = ""};
  graph.set_plan(std::move(plan));
  EXPECT_EQ(EstimateCall(graph, machine, Prompt(8)).ns(),
            EstimateHalves(graph, machine, Prompt(8)).ns());
  EXPECT_EQ(EstimateCall(graph, machine, Prompt(7)).ns(),
            EstimateWholeCall(graph, machine, Prompt(7)).ns());
}

}  // namespace
}  // namespace infer
