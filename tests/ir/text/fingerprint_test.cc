// SPDX-License-Identifier: Apache-2.0
#include "ir/text/fingerprint.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "ir/graph/graph.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "ir/text/printer.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using test::SampleGraph;

// Each change alone must give another fingerprint than the sample and than all other changes.
TEST(Fingerprint, SeesEveryFieldOfPlacementAndPlan) {
  const std::function<void(Placement&)> placement_changes[] = {
      [](Placement& p) { p.target = Target::kSimd; },
      [](Placement& p) { p.kernel = "other"; },
      [](Placement& p) { p.rule = "other"; },
      [](Placement& p) { p.source = PlacementSource::kOverride; },
      [](Placement& p) { p.terms.clear(); },
      [](Placement& p) { p.terms[0].field = "columns"; },
      [](Placement& p) { p.terms[0].cmp = "<="; },
      [](Placement& p) { p.terms[0].threshold = 7; },
      [](Placement& p) { p.terms[0].lo = 7; },
      [](Placement& p) { p.terms[0].hi = 7; },
      [](Placement& p) { p.rejected[0].code = Rejected::Code::kNoKernel; },
      [](Placement& p) { p.rejected[0].text = "other"; },
      [](Placement& p) { std::swap(p.rejected[0].target, p.rejected[1].target); },
      [](Placement& p) { p.rejected.pop_back(); },
      [](Placement& p) { p.cost.flops.c0 += 1; },
      [](Placement& p) { p.cost.flops.ct += 1; },
      [](Placement& p) { p.cost.flops.cr += 1; },
      [](Placement& p) { p.cost.flops.cts += 1; },
      [](Placement& p) { p.cost.bytes.cs += 1; },
      [](Placement& p) { p.estimate_ns_min += 1; },
      [](Placement& p) { p.estimate_ns_max += 1; }};
  const std::function<void(Plan&)> plan_changes[] = {
      [](Plan& p) { p.segments[0].steps[0].barrier_after = false; },
      [](Plan& p) { p.segments[0].device = Device::kMetal; },
      [](Plan& p) { p.segments[0].shared_space = Device::kMetal; },
      [](Plan& p) { p.segments[0].steps.pop_back(); },
      [](Plan& p) { p.segments[0].steps[0].node = 0; },
      [](Plan& p) { p.segments[0].steps[0].mode = StepMode::kSliced; },
      [](Plan& p) { p.segments[0].steps[0].workspace_offset = 64; },
      [](Plan& p) { p.segments[0].steps[0].workspace_bytes = 64; },
      [](Plan& p) { p.segments[0].steps[0].copy = CopyStep{}; },
      [](Plan& p) { p.segments[0].steps[0].copy = CopyStep{{1, 0}, Device::kCpu, Device::kCpu}; },
      [](Plan& p) { p.segments[0].steps[0].copy = CopyStep{{}, Device::kMetal, Device::kCpu}; },
      [](Plan& p) { p.segments[0].steps[0].copy = CopyStep{{}, Device::kCpu, Device::kMetal}; },
      [](Plan& p) { p.slots[0].offset = 1 << 20; },
      [](Plan& p) { p.slots[0].bytes += 64; },
      [](Plan& p) { p.slots[0].value.node = 1; },
      [](Plan& p) { p.slots.pop_back(); },
      [](Plan& p) { p.slots[0].space = Device::kMetal; },
      [](Plan& p) { p.slots[0].value.result = 1; },
      [](Plan& p) { p.segments[0].waits = {Device::kMetal}; },
      [](Plan& p) { p.slots[0].first_step = 1; },
      [](Plan& p) { p.slots[0].last_step = 1; },
      [](Plan& p) { p.slots[0].alias_of = ValueRef{}; },
      [](Plan& p) { p.arenas[0].space = Device::kMetal; },
      [](Plan& p) { p.arenas[0].bytes += 1; },
      [](Plan& p) { p.arenas[0].bytes_per_thread = 1; },
      [](Plan& p) { p.arenas[0].lower_bound = 1; }};
  std::set<uint64_t> seen = {Fingerprint(SampleGraph(Stage::kPlanned))};
  size_t expected = 1;
  for (const auto& change : placement_changes) {
    Graph graph = SampleGraph(Stage::kPlanned);
    Placement placement = *graph.nodes().back()->placement();
    change(placement);
    graph.nodes().back()->set_placement(placement);
    seen.insert(Fingerprint(graph));
    EXPECT_EQ(seen.size(), ++expected);
  }
  for (const auto& change : plan_changes) {
    Graph graph = SampleGraph(Stage::kPlanned);
    Plan plan = *graph.plan();
    change(plan);
    graph.set_plan(plan);
    seen.insert(Fingerprint(graph));
    EXPECT_EQ(seen.size(), ++expected);
  }
}

Node* FirstOf(Graph& graph, std::string_view op) {
  for (Node* node : graph.nodes()) {
    if (node->op().name == op) return node;
  }
  return nullptr;
}

// The same node with other attributes.
void SetAttrs(Graph& graph, std::string_view op, std::vector<Attr> attrs) {
  Node* old = FirstOf(graph, op);
  std::vector<Value> inputs(old->inputs().begin(), old->inputs().end());
  Node* made = graph.Insert(old, old->op(), inputs, std::move(attrs), old->ResultTypes());
  made->result() = old->result();
  made->set_scope(old->scope());
  if (old->placement() != nullptr) made->set_placement(*old->placement());
  graph.ReplaceAllUses(old->output(), made->output());
  graph.Erase(old);
}

TEST(Fingerprint, SeesEveryFieldOfTheGraphAndItsNodes) {
  const std::function<void(Graph&)> changes[] = {
      [](Graph& g) { g.set_name("other"); },
      [](Graph& g) { g.set_stage(Stage::kScheduled); },
      [](Graph& g) {
        SymbolRanges s = g.symbols();
        s[Symbol::kT].min = 2;
        g.set_symbols(s);
      },
      [](Graph& g) {
        SymbolRanges s = g.symbols();
        s[Symbol::kT].max += 1;
        g.set_symbols(s);
      },
      [](Graph& g) {
        SymbolRanges s = g.symbols();
        s[Symbol::kS].max += 1;
        g.set_symbols(s);
      },
      [](Graph& g) { g.set_plan(std::nullopt); },
      [](Graph& g) { g.AddResult(g.nodes().back()->output()); },
      [](Graph& g) { g.nodes()[0]->result().name = "other"; },
      [](Graph& g) { g.nodes().back()->result().name = "other"; },
      [](Graph& g) { g.nodes().back()->result().name = ""; },
      [](Graph& g) { g.nodes().back()->result().origin = "other"; },
      [](Graph& g) { g.nodes().back()->result().origin = ""; },
      [](Graph& g) { g.nodes().back()->result().type = ValueType::F32({Symbol::kR, 97}); },
      [](Graph& g) { g.nodes().back()->result().type = ValueType::F32({Symbol::kT, 96}); },
      [](Graph& g) { g.nodes().back()->result().type = ValueType::F32({96}); },
      [](Graph& g) { g.nodes().back()->result().type.tensor.dtype = DType::kF16; },
      [](Graph& g) { g.nodes().back()->result().type.kind = TypeKind::kKv; },
      [](Graph& g) { g.nodes().back()->set_scope("other"); },
      [](Graph& g) { g.nodes().back()->set_merged_scopes({"output/a"}); },
      [](Graph& g) { g.nodes().back()->set_merged_scopes({"output/b", "output/a"}); },
      [](Graph& g) { g.nodes().back()->set_placement(std::nullopt); },
      [](Graph& g) { SetAttrs(g, "rms_norm", {1e-5}); },
      [](Graph& g) { SetAttrs(g, "reshape", {std::vector<int64_t>{0, 2, 33}}); },
      [](Graph& g) { SetAttrs(g, "weight", {std::string("other")}); },
      [](Graph& g) { SetAttrs(g, "kv_state", {int64_t{1}}); },
      [](Graph& g) { g.SetInput(FirstOf(g, "add"), 1, FirstOf(g, "add")->input(0)); },
      [](Graph& g) {
        Node* add = FirstOf(g, "add");
        Value left = add->input(0);
        g.SetInput(add, 0, add->input(1));
        g.SetInput(add, 1, left);
      },
      [](Graph& g) {
        Node* add = FirstOf(g, "add");
        g.Insert(nullptr, add->op(), {add->input(0), add->input(1)}, {}, add->ResultTypes());
      }};
  std::set<uint64_t> seen = {Fingerprint(SampleGraph(Stage::kPlanned))};
  std::set<std::string> printed = {PrintGraph(SampleGraph(Stage::kPlanned))};
  for (const auto& change : changes) {
    Graph graph = SampleGraph(Stage::kPlanned);
    change(graph);
    bool is_new = printed.insert(PrintGraph(graph)).second;
    EXPECT_TRUE(is_new) << "the change does not show in the text";
    EXPECT_TRUE(seen.insert(Fingerprint(graph)).second) << PrintGraph(graph);
  }
}

TEST(Fingerprint, IsTheSameForACopy) {
  for (Stage stage : {Stage::kImported, Stage::kBound, Stage::kPlaced, Stage::kPlanned}) {
    Graph graph = SampleGraph(stage);
    EXPECT_EQ(Fingerprint(graph.Clone()), Fingerprint(graph));
    EXPECT_EQ(Fingerprint(SampleGraph(stage)), Fingerprint(graph));
  }
}

}  // namespace
}  // namespace infer
