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
using ::testing::ElementsAre;

// silu has 5 operations an element, scale 1. On metal arithmetic costs nothing, but entering it 300
// and a crossing value 50.
constexpr std::string_view kSmoothMachine = R"pb(
  name: "test"
  threads: 2
  target { target: SCALAR step_ns: 10 }
  target { target: SIMD step_ns: 10 }
  target { target: PARALLEL step_ns: 40 wake_ns: 100 }
  target { target: METAL step_ns: 20 wake_ns: 300 boundary_ns: 50 copy_gb_s: 100 }
  kernel {
    target: SIMD
    rate { rows: 1 gop_s: 1 }
  }
  kernel {
    target: PARALLEL
    rate { rows: 1 gop_s: 2 }
  }
  kernel {
    target: METAL
    rate { rows: 1 gop_s: 1000 }
  }
)pb";

// The op `lone` among ops of the same kind on `around`, all of one rule each.
TestMachine MachineFor(std::vector<Target> lone, std::vector<Target> around) {
  TestMachine machine;
  machine.symbols[Symbol::kT] = {1, 2};
  machine.description = ParseMachine(kSmoothMachine, "test").value();
  Rule silu = RuleFor("lone", std::move(lone));
  silu.op = "silu";
  machine.policy.rules = {silu, RuleFor("around", std::move(around))};
  for (Target target : {Target::kSimd, Target::kParallel, Target::kMetal}) {
    machine.catalog.Add("silu", target).Add("scale", target).Add("reshape", target);
  }
  return machine;
}

constexpr std::string_view kAlone = R"(
    graph @g stage(bound) symbols(T = 1..2) (%x: f32[T,20]) {
      %a = scale(%x) {factor = 2.0} : f32[T,20]
      %b = silu(%a) : f32[T,20]
      %c = scale(%b) {factor = 2.0} : f32[T,20]
      return %c
    })";

std::string Placed(std::string_view text, const TestMachine& machine) {
  return PrintGraph(RunPass(MakePlaceNodes(), text, machine));
}

Graph Smoothed(std::string_view text, const TestMachine& machine) {
  return RunPass(MakeSmoothPlacement(), Placed(text, machine), machine);
}

const Placement& LonePlacement(const Graph& graph) {
  return *graph.NodesOf(ops::kSilu).at(0)->placement();
}

// 40 + 50 a row, and from and to metal 300 and two values of 80 bytes a row; there 20 and hardly
// anything.
TEST(SmoothPlacement, PullsALoneNodeIntoTheDeviceAroundIt) {
  TestMachine machine =
      MachineFor({Target::kParallel, Target::kMetal, Target::kSimd}, {Target::kMetal});
  Graph graph = Smoothed(kAlone, machine);
  const Placement& placement = LonePlacement(graph);
  EXPECT_EQ(placement.target, Target::kMetal);
  EXPECT_EQ(placement.kernel, "silu_metal");
  EXPECT_EQ(placement.rule, "lone");
  EXPECT_EQ(placement.source, PlacementSource::kSmooth);
  EXPECT_EQ(placement.estimate_ns_min, 20);
  EXPECT_THAT(
      placement.rejected,
      ElementsAre(
          Rejected{Target::kScalar, Rejected::Code::kNotInRule, "rule lone does not list it"},
          Rejected{Target::kSimd, Rejected::Code::kLowerInRule, "rule lone prefers parallel"},
          Rejected{Target::kCuda, Rejected::Code::kNotInRule, "rule lone does not list it"},
          Rejected{Target::kParallel, Rejected::Code::kCostsMore,
                   "alone there: 592 to 643 ns with its boundary costs, on metal 20 to 20 ns"}))
      << PrintGraph(graph);
  ExpectUnchanged(MakeSmoothPlacement(), PrintGraph(graph), machine);
}

// On metal 20, entering it 300, two values; entering the cpu again 100. On parallel 40 + 50 a row.
TEST(SmoothPlacement, PullsALoneNodeBackFromADevice) {
  TestMachine machine = MachineFor({Target::kMetal, Target::kParallel}, {Target::kParallel});
  EXPECT_EQ(LonePlacement(Smoothed(kAlone, machine)).target, Target::kParallel);
}

TEST(SmoothPlacement, LeavesANodeThatIsWorthItsBoundary) {
  TestMachine machine = MachineFor({Target::kMetal, Target::kParallel}, {Target::kParallel});
  std::string wide(kAlone);
  for (size_t at; (at = wide.find("[T,20]")) != std::string::npos;) wide.replace(at, 6, "[T,800]");
  ExpectRefusal(MakeSmoothPlacement(), Placed(wide, machine),
                "parallel would take 2040 to 4040 ns with all boundary costs", machine);
}

// At one row the boundary costs more than parallel takes, at two it does not.
TEST(SmoothPlacement, ActsOnlyWhereItPaysAtBothEnds) {
  TestMachine machine = MachineFor({Target::kMetal, Target::kParallel}, {Target::kParallel});
  std::string wide(kAlone);
  for (size_t at; (at = wide.find("[T,20]")) != std::string::npos;) wide.replace(at, 6, "[T,160]");
  ExpectUnchanged(MakeSmoothPlacement(), Placed(wide, machine), machine);
  machine.symbols[Symbol::kT] = {1, 1};
  wide.replace(wide.find("T = 1..2"), 8, "T = 1..1");
  EXPECT_EQ(LonePlacement(Smoothed(wide, machine)).target, Target::kParallel);
}

// One thread would keep the others waiting, and they must meet before the next step.
TEST(SmoothPlacement, PullsALoneSerialStepAmongThoseOfAllThreads) {
  TestMachine machine = MachineFor({Target::kSimd, Target::kParallel}, {Target::kParallel});
  Graph graph = Smoothed(kAlone, machine);
  EXPECT_EQ(LonePlacement(graph).target, Target::kParallel);
  EXPECT_EQ(LonePlacement(graph).rejected.back().text,
            "alone there: 140 to 240 ns with its boundary costs, on parallel 90 to 140 ns");
}

TEST(SmoothPlacement, NeverChoosesWhatTheRuleDoesNotList) {
  TestMachine machine = MachineFor({Target::kParallel, Target::kSimd}, {Target::kMetal});
  ExpectUnchanged(MakeSmoothPlacement(), Placed(kAlone, machine), machine);
}

TEST(SmoothPlacement, TakesNothingForFreeThatTheDescriptionDoesNotKnow) {
  TestMachine machine = MachineFor({Target::kParallel, Target::kMetal}, {Target::kMetal});
  const std::string placed = Placed(kAlone, machine);
  std::erase_if(machine.description->targets,
                [](const TargetCost& cost) { return cost.target == Target::kMetal; });
  std::erase_if(machine.description->kernels,
                [](const KernelRate& rate) { return rate.target == Target::kMetal; });
  ExpectUnchanged(MakeSmoothPlacement(), placed, machine);
}

TEST(SmoothPlacement, LeavesANodeWithoutAKernelThere) {
  TestMachine machine = MachineFor({Target::kParallel, Target::kMetal}, {Target::kMetal});
  const std::string placed = Placed(kAlone, machine);
  machine.catalog.Refuse("silu", Target::kMetal, "not today");
  ExpectUnchanged(MakeSmoothPlacement(), placed, machine);
}

TEST(SmoothPlacement, LeavesWhatTheUserOrLegalizeHasPlaced) {
  TestMachine machine = MachineFor({Target::kParallel, Target::kMetal}, {Target::kMetal});
  for (std::string_view source : {"override", "legalize"}) {
    std::string placed = Placed(kAlone, machine);
    const size_t silu = placed.find("silu(");
    placed.replace(placed.find("source = policy", silu), 15, StrCat("source = ", source));
    ExpectUnchanged(MakeSmoothPlacement(), placed, machine);
  }
}

TEST(SmoothPlacement, LeavesAPolicyThatTakesEverythingApart) {
  TestMachine machine = MachineFor({Target::kParallel, Target::kMetal}, {Target::kMetal});
  machine.policy.composites = Policy::Composites::kDecompose;
  ExpectUnchanged(MakeSmoothPlacement(), Placed(kAlone, machine), machine);
}

TEST(SmoothPlacement, LeavesTwoThatAreTogether) {
  TestMachine machine = MachineFor({Target::kParallel, Target::kMetal}, {Target::kMetal});
  ExpectUnchanged(MakeSmoothPlacement(),
                  Placed(R"(
      graph @g stage(bound) symbols(T = 1..2) (%x: f32[T,20]) {
        %a = scale(%x) {factor = 2.0} : f32[T,20]
        %b = silu(%a) : f32[T,20]
        %c = silu(%b) : f32[T,20]
        %d = scale(%c) {factor = 2.0} : f32[T,20]
        return %d
      })",
                         machine),
                  machine);
}

// A view that stayed behind would cut the segment.
TEST(SmoothPlacement, TakesViewsAlong) {
  TestMachine machine = MachineFor({Target::kParallel, Target::kMetal}, {Target::kMetal});
  Rule views = machine.policy.rules[0];
  views.name = "views";
  views.op = "reshape";
  machine.policy.rules.insert(machine.policy.rules.begin(), views);
  Graph graph = Smoothed(R"(
      graph @g stage(bound) symbols(T = 1..2) (%x: f32[T,20]) {
        %a = scale(%x) {factor = 2.0} : f32[T,20]
        %b = silu(%a) : f32[T,20]
        %v = reshape(%b) {dims = [0,4,5]} : f32[T,4,5]
        %c = scale(%v) {factor = 2.0} : f32[T,4,5]
        return %c
      })",
                         machine);
  const Placement& view = *graph.NodesOf(ops::kReshape).at(0)->placement();
  EXPECT_EQ(view.target, Target::kMetal);
  EXPECT_EQ(view.source, PlacementSource::kSmooth);
}

TEST(SmoothPlacement, DoesNothingWithoutAMachine) {
  TestMachine machine = MachineFor({Target::kParallel, Target::kMetal}, {Target::kMetal});
  const std::string placed = Placed(kAlone, machine);
  machine.description.reset();
  ExpectUnchanged(MakeSmoothPlacement(), placed, machine);
}

}  // namespace
}  // namespace infer
