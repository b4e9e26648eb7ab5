// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/strings.h"
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
using ::testing::HasSubstr;

// A machine whose steps take `step_ns`, and as long as `gb_s` says for their bytes.
std::string Describe(int step_ns, int gb_s, std::string_view more = "") {
  return StrCat("name: 'test' threads: 1 target { target: SIMD step_ns: ", step_ns,
                " } kernel { target: SIMD gb_s: ", gb_s, " cached_gb_s: ", gb_s, " } ", more);
}

// One byte a nanosecond: a row of add_rms_norm takes 4 x 256.
std::string Slow() { return Describe(10, 1); }
std::string Fast() { return Describe(10, 100); }

TestMachine RowsMachine(std::string_view description = Slow()) {
  TestMachine machine;
  machine.description = ParseMachine(description, "test").value();
  machine.policy.shard.ranks = 4;
  Rule collectives = RuleFor("collectives", {Target::kRanks});
  collectives.op = "all_*";
  machine.policy.rules = {collectives, RuleFor("all", {Target::kSimd, Target::kScalar})};
  machine.catalog.Add("all_rows", Target::kRanks)
      .Add("all_gather", Target::kRanks)
      .Add("add_rms_norm", Target::kSimd)
      .Add("linear", Target::kSimd)
      .Add("swiglu", Target::kSimd);
  return machine;
}

std::string PlacedForRows(std::string_view text, const TestMachine& machine) {
  return PrintGraph(RunPass(MakePlaceNodes(), text, machine));
}

std::string WithTokens(std::string_view tokens) {
  return StrCat("graph @g stage(bound) symbols(T = ", tokens, R"() (%x: f32[T,64], %y: f32[T,64]) {
      %w = weight() {name = "w", parts = 4} : f32[32,64]
      %n = weight() {name = "n"} : f32[64]
      %s, %m = add_rms_norm(%x, %y, %n) {eps = 1e-06} : f32[T,64], f32[T,64] from "sum", "norm"
      %o = linear(%m, %w) : f32[T,32]
      %a = all_gather(%o) {axis = 1, ranks = 4} : f32[T,128]
      return %s, %a
    })");
}

TEST(ShareRows, LetsEachRankComputeSomeOfTheNormsRows) {
  const TestMachine machine = RowsMachine();
  const Graph graph =
      RunPass(MakeShareRows(), PlacedForRows(WithTokens("16..64"), machine), machine);
  const std::vector<Node*> found = graph.NodesOf(ops::kAllRows);
  ASSERT_EQ(found.size(), 1u);
  Node* all = found[0];
  Node* norm = graph.NodesOf(ops::kAddRmsNorm).at(0);
  EXPECT_EQ(all->input(0), norm->output(0));
  EXPECT_EQ(all->input(1), norm->output(1));
  EXPECT_EQ(graph.results()[0], all->output(0));
  EXPECT_EQ(graph.NodesOf(ops::kLinear).at(0)->input(0), all->output(1));
  EXPECT_EQ(all->result(1).origin, "norm");
  EXPECT_EQ(norm->result(1).origin, "");
  EXPECT_EQ(all->placement()->target, Target::kRanks);
  // 40 rows of 1,024 bytes and a vector of 256 in the mean: 41 us alone, a quarter of that now.
  EXPECT_THAT(all->attr<std::string>(1),
              HasSubstr("every rank would compute add_rms_norm; a share of its rows saves 28 us"));
  EXPECT_EQ(norm->placement()->estimate_ns_max, 10 + (64 * 1024 + 256) / 4);
}

TEST(ShareRows, LeavesWhatIsSharedAlone) {
  const TestMachine machine = RowsMachine();
  const Graph once =
      RunPass(MakeShareRows(), PlacedForRows(WithTokens("16..64"), machine), machine);
  ExpectUnchanged(MakeShareRows(), PrintGraph(once), machine);
}

TEST(ShareRows, LeavesFewTokensAlone) {
  const TestMachine machine = RowsMachine();
  ExpectRefusal(MakeShareRows(), PlacedForRows(WithTokens("3..64"), machine),
                "it may have fewer rows than there are ranks", machine);
  ExpectRefusal(MakeShareRows(), PlacedForRows(WithTokens("4..4"), RowsMachine(Fast())),
                "saves 0.033 us, and the exchange takes 2.5 us", RowsMachine(Fast()));
}

TEST(ShareRows, LeavesFastNormsAlone) {
  const TestMachine machine = RowsMachine(Fast());
  ExpectRefusal(MakeShareRows(), PlacedForRows(WithTokens("16..64"), machine),
                "the exchange takes 2.5 us", machine);
}

TEST(ShareRows, LeavesSlowNetworksAlone) {
  const TestMachine machine =
      RowsMachine(Describe(10, 1,
                           "target { target: RANKS step_ns: 100 } "
                           "kernel { target: RANKS gb_s: 0.1 cached_gb_s: 0.1 }"));
  ExpectRefusal(MakeShareRows(), PlacedForRows(WithTokens("16..64"), machine),
                "and the exchange takes 1.5e+02 us", machine);
}

constexpr std::string_view kWhole = R"(
    graph @g stage(bound) symbols(T = 16..64, R = 1..64) (%x: f32[T,64], %b: batch) {
      %n = weight() {name = "n"} : f32[64]
      %s, %m = add_rms_norm(%x, %x, %n) {eps = 1e-06} : f32[T,64], f32[T,64]
      return %s, %m
    })";

TEST(ShareRows, LeavesGraphsThatExchangeNothingAlone) {
  const TestMachine machine = RowsMachine();
  ExpectUnchanged(MakeShareRows(), PlacedForRows(kWhole, machine), machine);
}

// Of the rows whose logits are requested there may be one.
TEST(ShareRows, LeavesRequestedRowsAlone) {
  const TestMachine machine = RowsMachine();
  ExpectRefusal(MakeShareRows(),
                PlacedForRows(R"(
    graph @g stage(bound) symbols(T = 16..64, R = 1..64) (%x: f32[T,16], %b: batch) {
      %n = weight() {name = "n"} : f32[64]
      %g = all_gather(%x) {axis = 1, ranks = 4} : f32[T,64]
      %r = select_rows(%g, %b) : f32[R,64]
      %s, %m = add_rms_norm(%r, %r, %n) {eps = 1e-06} : f32[R,64], f32[R,64]
      return %s, %m
    })",
                              machine),
                "it may have fewer rows than there are ranks", machine);
}

// Sharing does not save the fixed cost of a step.
TEST(ShareRows, LeavesCheapStepsAlone) {
  const TestMachine machine = RowsMachine(Describe(9000, 100));
  ExpectRefusal(MakeShareRows(), PlacedForRows(WithTokens("16..64"), machine), "saves 0.31 us",
                machine);
}

// A rank has columns of it that no other one has.
TEST(ShareRows, LeavesDividedValuesAlone) {
  const TestMachine machine = RowsMachine();
  ExpectUnchanged(MakeShareRows(),
                  PlacedForRows(R"(
    graph @g stage(bound) symbols(T = 16..64) (%x: f32[T,64]) {
      %w = weight() {name = "w", parts = 4} : f32[32,64]
      %a = linear(%x, %w) : f32[T,32]
      %b = swiglu(%a, %a) : f32[T,32]
      %c = all_gather(%b) {axis = 1, ranks = 4} : f32[T,128]
      return %c
    })",
                                machine),
                  machine);
}

}  // namespace
}  // namespace infer
