// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ir/base/strings.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"
#include "ir/policy/machine_text.h"
#include "ir/text/printer.h"
#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::ExpectRefusal;
using test::ExpectUnchanged;
using test::RuleFor;
using test::RunPass;
using test::TestMachine;

constexpr std::string_view kDescription = R"pb(
  name: "test"
  threads: 1
  target { target: RANKS step_ns: 1000 }
  kernel { target: RANKS gb_s: 1 cached_gb_s: 1 }
  kernel {
    target: RANKS
    op: "all_gather"
    type: "bf16"
    rate { rows: 1 gop_s: 2 }
  }
)pb";
// Calibrated with results that stay.
constexpr std::string_view kStays = R"pb(
  kernel {
    target: RANKS
    op: "all_gather"
    type: "bf16_stays"
    rate { rows: 1 gop_s: 8 }
  }
)pb";

TestMachine MachineFor(std::string numerics = "test bf16") {
  TestMachine machine;
  machine.description = ParseMachine(kDescription, "test").value();
  Rule collectives = RuleFor("collectives", {Target::kRanks});
  collectives.op = "all_*";
  machine.policy.rules = {collectives, RuleFor("all", {Target::kSimd})};
  machine.catalog.Add("all_gather", Target::kRanks)
      .Add("all_rows", Target::kRanks)
      .Add("add", Target::kSimd)
      .Add("add_rms_norm", Target::kSimd)
      .Add("multi_linear", Target::kSimd)
      .Add("linear", Target::kSimd)
      .SetNumerics("multi_linear", Target::kSimd, "test bf16")
      .SetNumerics("linear", Target::kSimd, std::move(numerics))
      .TakeRounded("linear", Target::kSimd);
  return machine;
}

std::string PlacedParts(std::string_view text, const TestMachine& machine) {
  return PrintGraph(RunPass(MakePlaceNodes(), text, machine));
}

constexpr std::string_view kColumns = R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,64]) {
      %w = weight() {name = "w"} : q8_0[32,128]
      %a = all_gather(%x) {axis = 1, ranks = 2, reason = "linear needs whole rows"} : f32[T,128] from "attention"
      %o = linear(%a, %w) : f32[T,32]
      return %o
    })";

constexpr std::string_view kPartRows = R"(
    graph @g stage(bound) symbols(T = 8..8) (%x: f32[T,64], %y: f32[T,64]) {
      %w = weight() {name = "w"} : q8_0[32,64]
      %n = weight() {name = "n"} : f32[64]
      %0, %1 = add_rms_norm(%x, %y, %n) {eps = 1e-06} : f32[T,64], f32[T,64]
      %s, %m = all_rows(%0, %1) {ranks = 2, reason = "shared"} : f32[T,64], f32[T,64] from "sum", "norm"
      %o = linear(%m, %w) : f32[T,32]
      %r = add(%s, %y) : f32[T,64]
      return %o, %r
    })";

TEST(RoundParts, RoundsColumnsThatProductsRead) {
  const TestMachine machine = MachineFor();
  const Graph graph = RunPass(MakeRoundParts(), PlacedParts(kColumns, machine), machine);
  const Node& node = *graph.NodesOf(ops::kAllGather).at(0);
  EXPECT_EQ(ToString(node.result().type), "bf16[T,128]");
  EXPECT_EQ(node.result().origin, "attention");
  EXPECT_EQ(ops::MessageOf(node.attrs()).name, "bf16");
  EXPECT_EQ(node.attr<std::string>(2),
            "linear needs whole rows; rounded once, to bf16, as its readers round it");
  EXPECT_EQ(node.placement()->cost.bytes.At({.t = 8}), 8 * 64 * 2);
  EXPECT_EQ(node.placement()->estimate_ns_max, 1000 + 8 * 64 * 2 + 8 * 128 / 2);
  const Node& linear = *graph.NodesOf(ops::kLinear).at(0);
  EXPECT_EQ(linear.placement()->cost.bytes.At({.t = 8}), 8 * 128 * 2 + 8 * 32 * 4 + 32 * 4 * 34);
}

TEST(RoundParts, EstimatesWhatStaysByItsOwnRate) {
  TestMachine machine = MachineFor();
  machine.description = ParseMachine(StrCat(kDescription, kStays), "test").value();
  const Graph graph = RunPass(MakeRoundParts(), PlacedParts(kColumns, machine), machine);
  EXPECT_EQ(graph.NodesOf(ops::kAllGather).at(0)->placement()->estimate_ns_max,
            1000 + 8 * 64 * 2 + 8 * 128 / 8);
}

TEST(RoundParts, RoundsTheRowsThatProductsReadAndNoOthers) {
  const TestMachine machine = MachineFor();
  const Graph graph = RunPass(MakeRoundParts(), PlacedParts(kPartRows, machine), machine);
  const Node& node = *graph.NodesOf(ops::kAllRows).at(0);
  EXPECT_EQ(ToString(node.result(0).type), "f32[T,64]");
  EXPECT_EQ(node.result(0).origin, "sum");
  EXPECT_EQ(ToString(node.result(1).type), "bf16[T,64]");
  EXPECT_EQ(node.result(1).origin, "norm");
  EXPECT_EQ(node.attr<std::vector<int64_t>>(2), std::vector<int64_t>{1});
  EXPECT_EQ(node.placement()->cost.bytes.At({.t = 8}), 8 * 64 * (4 + 2) / 2);
}

TEST(RoundParts, LeavesWhatIsRoundedAlone) {
  const TestMachine machine = MachineFor();
  for (std::string_view text : {kColumns, kPartRows}) {
    const Graph once = RunPass(MakeRoundParts(), PlacedParts(text, machine), machine);
    ExpectUnchanged(MakeRoundParts(), PrintGraph(once), machine);
  }
}

TEST(RoundParts, LeavesOtherRoundingsAlone) {
  TestMachine machine = MachineFor("test int8x32");
  ExpectRefusal(MakeRoundParts(), PlacedParts(kColumns, machine),
                "stays f32: its readers round it to int8x32", machine);
  machine = MachineFor("test f32");
  ExpectRefusal(MakeRoundParts(), PlacedParts(kColumns, machine), "which no message has", machine);
}

TEST(RoundParts, LeavesProductsThatReadF32Alone) {
  const TestMachine machine = MachineFor();
  ExpectRefusal(MakeRoundParts(),
                PlacedParts(R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,64]) {
      %w = weight() {name = "w"} : q8_0[32,128]
      %a = all_gather(%x) {axis = 1, ranks = 2} : f32[T,128]
      %o, %p = multi_linear(%a, %w, %w) : f32[T,32], f32[T,32]
      return %o, %p
    })",
                            machine),
                "stays f32: multi_linear reads f32", machine);
}

TEST(RoundParts, LeavesValuesOfOtherReadersAlone) {
  const TestMachine machine = MachineFor();
  ExpectRefusal(MakeRoundParts(),
                PlacedParts(R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,64]) {
      %w = weight() {name = "w"} : q8_0[128,128]
      %a = all_gather(%x) {axis = 1, ranks = 2} : f32[T,128]
      %o = linear(%a, %w) : f32[T,128]
      %y = add(%a, %o) : f32[T,128]
      return %y
    })",
                            machine),
                "stays f32: add reads it as f32", machine);
}

TEST(RoundParts, LeavesResultsOfTheGraphAlone) {
  const TestMachine machine = MachineFor();
  ExpectRefusal(MakeRoundParts(),
                PlacedParts(R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,64]) {
      %w = weight() {name = "w"} : q8_0[32,128]
      %a = all_gather(%x) {axis = 1, ranks = 2} : f32[T,128]
      %o = linear(%a, %w) : f32[T,32]
      return %a, %o
    })",
                            machine),
                "stays f32: it is a result of the graph", machine);
}

// The first reader would take rounded rows.
TEST(RoundParts, TakesBackWhatTheLastReaderRefuses) {
  const TestMachine machine = MachineFor();
  ExpectRefusal(MakeRoundParts(),
                PlacedParts(R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,64]) {
      %w = weight() {name = "w"} : q8_0[32,128]
      %a = all_gather(%x) {axis = 1, ranks = 2, reason = "r"} : f32[T,128]
      %n = linear(%a, %w) : f32[T,32]
      %o, %p = multi_linear(%a, %w, %w) : f32[T,32], f32[T,32]
      return %n, %o, %p
    })",
                            machine),
                "stays f32: multi_linear reads f32", machine);
}

// Ranks of other CPU levels may take part there.
TEST(RoundParts, LeavesWhatIsSentInFastModeAlone) {
  TestMachine machine = MachineFor();
  machine.policy.shard.mode = ShardPolicy::Mode::kFast;
  ExpectUnchanged(MakeRoundParts(), PlacedParts(kColumns, machine), machine);
  const Graph graph = RunPass(MakeRoundParts(), PlacedParts(kPartRows, machine), machine);
  EXPECT_EQ(ToString(graph.NodesOf(ops::kAllRows).at(0)->result(1).type), "bf16[T,64]");
}

}  // namespace
}  // namespace infer
