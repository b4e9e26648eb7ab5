// SPDX-License-Identifier: Apache-2.0
#include "passes/state_homes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/ops.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::GraphOf;
using test::RuleFor;
using test::TestMachine;
using ::testing::HasSubstr;

// Metal has a memory of its own and runs what touches a cache.
TestMachine Machine() {
  TestMachine machine;
  machine.policy.rules = {RuleFor("all", {Target::kMetal, Target::kScalar})};
  machine.catalog.Add("kv_write", Target::kMetal).Add("attention", Target::kMetal);
  machine.catalog.Add("attention", Target::kScalar);
  return machine;
}

Graph OneLayer() {
  return GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2, S = 1..32)
          (%q: f32[T,1,8], %k: f32[T,8], %batch: batch) {
        %kv = kv_state() {id = 0} : kv<f16[1,8]>
        %kv1 = kv_write(%kv, %k, %k, %batch) : kv<f16[1,8]>
        %a = attention(%q, %kv1, %batch) {scale = 0.5} : f32[T,8]
        return %a
      })");
}

TEST(StateHomes, AStateIsWhereAllItsNodesAre) {
  const TestMachine machine = Machine();
  StateHomes homes = ChooseHomes(OneLayer(), machine.policy, machine.catalog);
  EXPECT_EQ(homes.at(0), Device::kMetal);
}

TEST(StateHomes, AStateOfNodesInTwoMemoriesIsTheCpus) {
  TestMachine machine = Machine();
  machine.catalog.Refuse("attention", Target::kMetal, "too long");
  StateHomes homes = ChooseHomes(OneLayer(), machine.policy, machine.catalog);
  EXPECT_EQ(homes.at(0), Device::kCpu);
}

// Attention goes to metal from 4 rows on: what decodes would find no cache there.
TEST(StateHomes, AStateHasOneHomeForAllRegimes) {
  TestMachine machine = Machine();
  Rule few = RuleFor("few", {Target::kScalar});
  few.rows.max = 3;
  machine.policy.rules.insert(machine.policy.rules.begin(), few);
  EXPECT_EQ(ChooseHomes(OneLayer(), machine.policy, machine.catalog).at(0), Device::kCpu);
}

TEST(StateHomes, NothingIsChosenWhereAllShareOneMemory) {
  TestMachine machine = Machine();
  machine.catalog.ShareMemory();
  EXPECT_TRUE(ChooseHomes(OneLayer(), machine.policy, machine.catalog).empty());
}

TEST(HomedCatalog, RefusesAStateInAnotherMemory) {
  const TestMachine machine = Machine();
  const Graph graph = OneLayer();
  const Node& attention = *graph.NodesOf(ops::kAttention)[0];
  const StateHomes on_cpu;
  const HomedCatalog catalog(machine.catalog, on_cpu);
  EXPECT_EQ(catalog.Find(attention, Target::kMetal, graph.symbols()).reason,
            "state 0 is in the memory of cpu, but metal works in that of metal");
  EXPECT_TRUE(catalog.LimitsOf(attention, Target::kMetal).empty());
  EXPECT_TRUE(catalog.Find(attention, Target::kScalar, graph.symbols()).kernel.has_value());

  const StateHomes on_metal = {{0, Device::kMetal}};
  const HomedCatalog other(machine.catalog, on_metal);
  EXPECT_TRUE(other.Find(attention, Target::kMetal, graph.symbols()).kernel.has_value());
  EXPECT_THAT(other.Find(attention, Target::kScalar, graph.symbols()).reason,
              HasSubstr("is in the memory of metal"));
}

}  // namespace
}  // namespace infer
