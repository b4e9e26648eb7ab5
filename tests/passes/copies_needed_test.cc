// SPDX-License-Identifier: Apache-2.0
//
// Random graphs on two devices that share no memory: every copy and every wait that the passes make
// is needed, and the verifier misses each one that is not there.
#include <gtest/gtest.h>

#include <random>

#include "ir/graph/builder.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "ir/verify/verifier.h"
#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::RuleFor;
using test::TestMachine;

// Sums of values of one type, on any of the two devices.
Graph RandomSums(uint64_t seed, Policy* policy) {
  std::mt19937_64 random(seed);
  Graph graph;
  SymbolRanges symbols;
  symbols[Symbol::kT] = {1, 8};
  graph.set_symbols(symbols);
  graph.set_stage(Stage::kBound);
  GraphBuilder b(&graph);
  std::vector<Value> values;
  for (const char* name : {"x", "y"}) {
    values.push_back(graph.AddInput(name, ValueType::F32({Symbol::kT, 16}))->output());
  }
  for (int i = 0; i < 12; ++i) {
    const Value left = values[random() % values.size()], right = values[random() % values.size()];
    const bool on_metal = random() % 2 == 0;
    // silu and add are metal's, mul and scale are not.
    switch (random() % 2) {
      case 0:
        values.push_back(on_metal ? ops::Silu(b, left) : ops::Scale(b, left, 0.5));
        break;
      default:
        values.push_back(on_metal ? ops::Add(b, left, right) : ops::Mul(b, left, right));
    }
  }
  graph.AddResult(values.back());
  graph.AddResult(values[2 + random() % 10]);
  policy->rules = {RuleFor("all", {Target::kMetal, Target::kScalar})};
  return graph;
}

TEST(CopiesNeeded, ClearingOneCopyOrOneWaitIsRefused) {
  int copies = 0, waits = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    TestMachine machine;
    machine.catalog.Add("silu", Target::kMetal).Add("add", Target::kMetal);
    Graph graph = RandomSums(seed, &machine.policy);
    PassContext context = machine.Context();
    for (auto make : {MakePlaceNodes, MakeScheduleNodes, MakePlanMemory}) {
      std::unique_ptr<Pass> pass = make();
      ASSERT_TRUE(pass->Run(graph, context).ok());
      graph.set_stage(pass->gives());
      ASSERT_EQ(Verify(graph), absl::OkStatus());
    }
    const Plan plan = *graph.plan();
    auto refuses = [&](const Plan& changed) {
      graph.set_plan(changed);
      return !Verify(graph).ok();
    };
    for (size_t i = 0; i < plan.segments.size(); ++i) {
      for (size_t step = 0; step < plan.segments[i].steps.size(); ++step) {
        if (!plan.segments[i].steps[step].copy) continue;
        Plan cleared = plan;
        cleared.segments[i].steps.erase(cleared.segments[i].steps.begin() +
                                        static_cast<int64_t>(step));
        EXPECT_TRUE(refuses(cleared)) << "copy " << step << " of segment " << i;
        ++copies;
      }
      for (size_t wait = 0; wait < plan.segments[i].waits.size(); ++wait) {
        Plan cleared = plan;
        cleared.segments[i].waits.erase(cleared.segments[i].waits.begin() +
                                        static_cast<int64_t>(wait));
        EXPECT_TRUE(refuses(cleared)) << "wait " << wait << " of segment " << i;
        ++waits;
      }
    }
    if (!plan.waits.empty()) {
      Plan cleared = plan;
      cleared.waits.clear();
      EXPECT_TRUE(refuses(cleared)) << "at the end";
      ++waits;
    }
  }
  EXPECT_GT(copies, 300);
  EXPECT_GT(waits, 100);
}

}  // namespace
}  // namespace infer
