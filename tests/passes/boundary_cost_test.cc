// SPDX-License-Identifier: Apache-2.0
#include "passes/boundary_cost.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "ir/policy/machine_text.h"
#include "passes/estimate.h"
#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::RuleFor;
using test::RunPass;
using test::TestMachine;

// A value costs 50 and a nanosecond for each 10 bytes; steps and waking cost nothing here.
constexpr std::string_view kMachine = R"pb(
  name: "test"
  threads: 2
  call_ns: 7
  target { target: PARALLEL step_ns: 1 wake_ns: 1000 }
  target { target: METAL step_ns: 2 wake_ns: 300 boundary_ns: 50 copy_gb_s: 10 }
)pb";

constexpr double kCrossing = 50 + 2 * 20 * 4 / 10.0;  // of f32[2,20]
constexpr SymbolValues kTwo = {2, 1, 2};

// Values whose names begin with gpu are computed on metal, others on parallel.
struct Placed {
  explicit Placed(std::string_view nodes) {
    machine.symbols[Symbol::kT] = {1, 2};
    machine.description = ParseMachine(kMachine, "test").value();
    Rule gpu = RuleFor("gpu", {Target::kMetal});
    gpu.node = "gpu*";
    machine.policy.rules = {gpu, RuleFor("rest", {Target::kParallel})};
    for (Target target : {Target::kParallel, Target::kMetal}) {
      for (const char* op : {"silu", "scale", "add", "mul", "reshape"}) {
        machine.catalog.Add(op, target);
      }
    }
    graph = RunPass(MakePlaceNodes(),
                    std::string("graph @g stage(bound) symbols(T = 1..2) (%x: f32[T,20]) {") +
                        std::string(nodes) + "}",
                    machine);
  }

  const Node& Named(std::string_view name) const {
    for (const Node* node : graph.nodes()) {
      if (node->result().name == name) return *node;
    }
    ADD_FAILURE() << name;
    return *graph.nodes()[0];
  }
  double Around(std::string_view name, Target target) const {
    return BoundaryCosts(graph, *machine.description)
        .Around(Named(name), target, nullptr, nullptr, kTwo);
  }
  double Crossings() const { return BoundaryCosts(graph, *machine.description).Crossings(kTwo); }
  void Move(std::string_view name, Target target) {
    for (Node* node : graph.nodes()) {
      if (node->result().name != name) continue;
      Placement placement = *node->placement();
      placement.target = target;
      node->set_placement(placement);
    }
  }

  TestMachine machine;
  Graph graph;
};

TEST(BoundaryCosts, ChargeANodeForEachValueThatCrossesBecauseOfIt) {
  const Placed placed(R"(
      %a = silu(%x) : f32[T,20]
      %gpu = silu(%a) : f32[T,20]
      %c = silu(%gpu) : f32[T,20]
      return %c)");
  EXPECT_DOUBLE_EQ(placed.Around("gpu", Target::kMetal), 2 * kCrossing);
  EXPECT_DOUBLE_EQ(placed.Around("gpu", Target::kParallel), 0);
  EXPECT_DOUBLE_EQ(placed.Crossings(), 2 * kCrossing);
}

TEST(BoundaryCosts, ChargeNoNodeForWhatCrossesForAnotherOnItsSideAnyway) {
  const Placed placed(R"(
      %a = silu(%x) : f32[T,20]
      %gpu1 = silu(%a) : f32[T,20]
      %gpu2 = scale(%a) {factor = 2.0} : f32[T,20]
      %gpu3 = add(%gpu1, %gpu2) : f32[T,20]
      %c = silu(%gpu3) : f32[T,20]
      return %c)");
  EXPECT_DOUBLE_EQ(placed.Around("gpu1", Target::kMetal), 0);
  EXPECT_DOUBLE_EQ(placed.Around("gpu1", Target::kParallel), kCrossing);  // what it computes
  EXPECT_DOUBLE_EQ(placed.Crossings(), 2 * kCrossing);
}

TEST(BoundaryCosts, CountAnInputThatIsReadTwiceOnce) {
  const Placed placed(R"(
      %a = silu(%x) : f32[T,20]
      %gpu = mul(%a, %a) : f32[T,20]
      %c = silu(%gpu) : f32[T,20]
      return %c)");
  EXPECT_DOUBLE_EQ(placed.Around("gpu", Target::kMetal), 2 * kCrossing);
  EXPECT_DOUBLE_EQ(placed.Crossings(), 2 * kCrossing);
}

TEST(BoundaryCosts, TakeAViewForWhatItIsAViewOf) {
  const Placed placed(R"(
      %a = silu(%x) : f32[T,20]
      %v = reshape(%a) {dims = [0,4,5]} : f32[T,4,5]
      %w = reshape(%a) {dims = [0,5,4]} : f32[T,5,4]
      %gpu1 = silu(%v) : f32[T,4,5]
      %gpu2 = silu(%w) : f32[T,5,4]
      return %a)");
  EXPECT_DOUBLE_EQ(placed.Around("gpu1", Target::kMetal), 0);
  EXPECT_DOUBLE_EQ(placed.Crossings(), kCrossing);
}

TEST(BoundaryCosts, KnowThatInputsComeAndResultsGoOnTheCpu) {
  const Placed placed(R"(
      %gpu = silu(%x) : f32[T,20]
      return %gpu)");
  EXPECT_DOUBLE_EQ(placed.Around("gpu", Target::kMetal), 2 * kCrossing);
  EXPECT_DOUBLE_EQ(placed.Crossings(), 2 * kCrossing);
}

// What a node is charged for a move is by how much all crossings change.
TEST(BoundaryCosts, OfANodeAreTheDifferenceThatItMakes) {
  Placed placed(R"(
      %a = silu(%x) : f32[T,20]
      %gpu1 = add(%a, %x) : f32[T,20]
      %b = mul(%gpu1, %a) : f32[T,20]
      %gpu2 = add(%b, %gpu1) : f32[T,20]
      %gpu3 = mul(%gpu2, %gpu2) : f32[T,20]
      return %gpu3, %b)");
  const double before = placed.Crossings();
  for (const char* name : {"a", "gpu1", "b", "gpu2", "gpu3"}) {
    const Target now = placed.Named(name).placement()->target;
    const Target other = now == Target::kMetal ? Target::kParallel : Target::kMetal;
    const double difference = placed.Around(name, other) - placed.Around(name, now);
    placed.Move(name, other);
    EXPECT_NEAR(placed.Crossings() - before, difference, 1e-9) << name;
    placed.Move(name, now);
  }
}

TEST(BoundaryCosts, ArePartOfTheEstimateOfACall) {
  const Placed placed(R"(
      %a = silu(%x) : f32[T,20]
      %gpu = silu(%a) : f32[T,20]
      %c = silu(%gpu) : f32[T,20]
      return %c)");
  const CallEstimate call = EstimateCall(placed.graph, *placed.machine.description, kTwo);
  // The threads are woken for each of their segments.
  EXPECT_DOUBLE_EQ(call.overhead_ns, 7 + 1000 + 300 + 1000 + 2 * kCrossing);
  EXPECT_DOUBLE_EQ(call.ns(), call.overhead_ns + 1 + 2 + 1);
}

}  // namespace
}  // namespace infer
