// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "ir/graph.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using ::infer::testing::SampleGraph;

// Each change alone must give another fingerprint than the sample and than all other changes.
TEST(Fingerprint, SeesEveryFieldOfPlacementAndPlan) {
  const std::function<void(Placement&)> placement_changes[] = {
      [](Placement& p) { p.target = Target::kSimd; },
      [](Placement& p) { p.kernel = "other"; },
      [](Placement& p) { p.rule = "other"; },
      [](Placement& p) { p.source = PlacementSource::kOverride; },
      [](Placement& p) { p.terms.clear(); },
      [](Placement& p) { p.terms[0].lo = 7; },
      [](Placement& p) { p.terms[0].hi = 7; },
      [](Placement& p) { p.rejected[0].code = Rejected::Code::kNoKernel; },
      [](Placement& p) { p.rejected.pop_back(); },
      [](Placement& p) { p.cost.flops.ct += 1; },
      [](Placement& p) { p.cost.bytes.cs += 1; },
      [](Placement& p) { p.estimate_ns_min += 1; },
      [](Placement& p) { p.estimate_ns_max += 1; }};
  const std::function<void(Plan&)> plan_changes[] = {
      [](Plan& p) { p.segments[0].steps[0].barrier_after = false; },
      [](Plan& p) { p.segments[0].steps[0].copy = CopyStep{}; },
      [](Plan& p) { p.slots[0].space = Device::kMetal; },
      [](Plan& p) { p.slots[0].value.result = 1; },
      [](Plan& p) { p.slots[0].per_thread = true; },
      [](Plan& p) { p.slots[0].first_step = 1; },
      [](Plan& p) { p.slots[0].last_step = 1; },
      [](Plan& p) { p.slots[0].alias_of = ValueRef{}; },
      [](Plan& p) { p.arenas[0].space = Device::kMetal; },
      [](Plan& p) { p.arenas[0].bytes_per_thread = 1; },
      [](Plan& p) { p.arenas[0].lower_bound = 1; }};
  std::set<uint64_t> seen = {SampleGraph(Stage::kPlanned).Fingerprint()};
  size_t expected = 1;
  for (const auto& change : placement_changes) {
    Graph graph = SampleGraph(Stage::kPlanned);
    Placement placement = *graph.nodes().back()->placement();
    change(placement);
    graph.nodes().back()->set_placement(placement);
    seen.insert(graph.Fingerprint());
    EXPECT_EQ(seen.size(), ++expected);
  }
  for (const auto& change : plan_changes) {
    Graph graph = SampleGraph(Stage::kPlanned);
    Plan plan = *graph.plan();
    change(plan);
    graph.set_plan(plan);
    seen.insert(graph.Fingerprint());
    EXPECT_EQ(seen.size(), ++expected);
  }
}

}  // namespace
}  // namespace infer
