// SPDX-License-Identifier: Apache-2.0

#include "ir/base/json.h"
#include "tools/diff/diff.h"
#include "tools/report/machine_text.h"
#include "tools/report/placement_json.h"
#include "tools/report/placement_text.h"
#include "tools/report/regime_table.h"

namespace infer {
namespace {

Json SideJson(const ProgramDiff::Side& side) {
  Json regimes = Json::array();
  for (const RegimeView& regime : side.regimes) regimes.push_back(TotalsJson(regime));
  return {{"file", side.name},
          {"policy", side.program->policy.name},
          {"overrides", side.program->overrides},
          {"machine_text", MachineText(side.program->machine)},
          {"regimes", std::move(regimes)}};
}

// Returns the signed difference of unsigned values.
int64_t Less(uint64_t b, uint64_t a) { return static_cast<int64_t>(b) - static_cast<int64_t>(a); }

Json AtJson(const SymbolValues& at) { return {{"T", at.t}, {"R", at.r}, {"S", at.s}}; }

Json IntervalJson(const ProgramDiff& diff, const DiffInterval& interval) {
  const CallAt& least = interval.least;
  const CallAt& most = interval.most;
  const RegimeTotals& a = diff.a.regimes[interval.a].totals;
  const RegimeTotals& b = diff.b.regimes[interval.b].totals;
  Json estimate = nullptr;
  if (least.a_ns > 0 && least.b_ns > 0) {
    estimate = {least.b_ns - least.a_ns, most.b_ns - most.a_ns};
  }
  return {{"tokens", {interval.tokens.min, interval.tokens.max}},
          {"calls", {AtJson(least.at), AtJson(most.at)}},
          {"a",
           {{"regime", interval.a},
            {"estimate_ns", EstimateJson(least.a_ns, most.a_ns)},
            {"arena_bytes", a.arena_bytes}}},
          {"b",
           {{"regime", interval.b},
            {"estimate_ns", EstimateJson(least.b_ns, most.b_ns)},
            {"arena_bytes", b.arena_bytes}}},
          {"difference",
           {{"estimate_ns", std::move(estimate)},
            {"arena_bytes", Less(b.arena_bytes, a.arena_bytes)}}}};
}

Json PlacementJson(const Program& program, const NodeView* view) {
  if (view == nullptr) return nullptr;
  const Placement& placement = view->placement();
  return {{"target", Name(placement.target)},
          {"kernel", placement.kernel},
          {"rule", placement.rule},
          {"source", Name(placement.source)},
          {"because", BecauseText(program, placement)}};
}

Json RowJson(const ProgramDiff& diff, const DiffRow& row) {
  Json intervals = Json::array();
  for (size_t i = 0; i < row.pairs.size(); ++i) {
    const NodePair& pair = row.pairs[i];
    if (pair.change == NodeChange::kNone) continue;
    intervals.push_back({{"tokens", {diff.intervals[i].tokens.min, diff.intervals[i].tokens.max}},
                         {"change", Name(pair.change)},
                         {"a", PlacementJson(*diff.a.program, pair.a)},
                         {"b", PlacementJson(*diff.b.program, pair.b)}});
  }
  return {{"name", row.group.FullName()},     {"scope", row.group.FullScope()},
          {"layers", row.group.layers},       {"op", row.group.op},
          {"ordinal", row.group.ordinal},     {"change", Name(row.change)},
          {"intervals", std::move(intervals)}};
}

}  // namespace

std::string ToJson(const ProgramDiff& diff) {
  Json counts = Json::object(), intervals = Json::array(), rows = Json::array(),
       memory = Json::array();
  for (NodeChange change : {NodeChange::kAdded, NodeChange::kRemoved, NodeChange::kMoved,
                            NodeChange::kKernel, NodeChange::kRule}) {
    counts[std::string(Name(change))] = diff.Count(change);
  }
  for (const DiffInterval& interval : diff.intervals) {
    intervals.push_back(IntervalJson(diff, interval));
  }
  for (const DiffRow& row : diff.rows) rows.push_back(RowJson(diff, row));
  for (const MemoryChange& part : diff.memory) {
    memory.push_back({{"what", part.what},
                      {"a_bytes", part.a_bytes},
                      {"b_bytes", part.b_bytes},
                      {"difference_bytes", Less(part.b_bytes, part.a_bytes)}});
  }
  Json json = {{"schema_version", 1},
               {"model", ModelText(diff.a.program->model)},
               {"a", SideJson(diff.a)},
               {"b", SideJson(diff.b)},
               {"differs",
                {{"graph", diff.graph_differs()},
                 {"placement", diff.placement_differs()},
                 {"memory", diff.memory_differs()}}},
               {"nodes", std::move(counts)},
               {"intervals", std::move(intervals)},
               {"changes", std::move(rows)},
               {"memory", std::move(memory)}};
  return JsonText(json, 2) + "\n";
}

}  // namespace infer
