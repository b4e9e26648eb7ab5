// SPDX-License-Identifier: Apache-2.0
#include "tools/api/report/regime_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "ir/base/strings.h"
#include "tools/api/report/placement_json.h"
#include "tools/api/report/quantity_text.h"
#include "tools/api/report/text_table.h"

namespace infer {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string TargetsText(const RegimeTotals& totals) {
  std::vector<Target> targets;
  for (Target target : kAllTargets) {
    if (totals.nodes_on[static_cast<size_t>(target)] > 0) targets.push_back(target);
  }
  std::ranges::sort(targets, {}, [&](Target target) {
    return std::pair(-totals.nodes_on[static_cast<size_t>(target)], target);
  });
  return absl::StrJoin(targets, " ", [&](std::string* out, Target target) {
    StrAppend(out, Name(target), " ", totals.nodes_on[static_cast<size_t>(target)]);
  });
}

std::string RegimeTable(std::span<const RegimeView> regimes) {
  TextTable table("lllrrrrr");
  table.Add({"  T", "for", "nodes", "cuts", "serial", "barriers", "arena", "call estimate"});
  for (const RegimeView& regime : regimes) {
    const RegimeTotals& totals = regime.totals;
    table.Add({StrCat("  ", RangeText(regime.tokens())), regime.name, TargetsText(totals),
               StrCat(totals.boundaries), StrCat(totals.serial_steps), StrCat(totals.barriers),
               BytesText(static_cast<double>(totals.arena_bytes)),
               SpanText(TimeText(totals.estimate_ns_min), TimeText(totals.estimate_ns_max))});
  }
  return table.Text();
}

Json TotalsJson(const RegimeView& regime) {
  const RegimeTotals& totals = regime.totals;
  Json nodes = Json::object();
  for (Target target : kAllTargets) {
    nodes[std::string(Name(target))] = totals.nodes_on[static_cast<size_t>(target)];
  }
  return {{"tokens", {regime.tokens().min, regime.tokens().max}},
          {"name", regime.name},
          {"nodes", std::move(nodes)},
          {"device_boundaries", totals.boundaries},
          {"copies", totals.copies},
          {"serial_steps", totals.serial_steps},
          {"barriers", totals.barriers},
          {"arena_bytes", totals.arena_bytes},
          {"arena_lower_bound_bytes", totals.arena_lower_bound_bytes},
          {"estimate_ns", EstimateJson(totals.estimate_ns_min, totals.estimate_ns_max)}};
}

}  // namespace infer
