// SPDX-License-Identifier: Apache-2.0
#include "tools/report/regime_table.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "tools/report/placement_json.h"
#include "tools/report/quantity_text.h"
#include "tools/report/text_table.h"

namespace infer {
std::string TargetsText(const RegimeTotals& totals) {
  std::vector<Target> targets;
  for (const TargetRecord& record : kTargets) {
    if (totals.nodes_on[static_cast<size_t>(record.target)] > 0) targets.push_back(record.target);
  }
  std::ranges::sort(targets, {}, [&](Target target) {
    return std::pair(-totals.nodes_on[static_cast<size_t>(target)], target);
  });
  return absl::StrJoin(targets, " ", [&](std::string* out, Target target) {
    StrAppend(out, Name(target), " ", totals.nodes_on[static_cast<size_t>(target)]);
  });
}

std::string RegimeTable(std::span<const RegimeView> regimes) {
  TextTable table("llrrrrr");
  table.Add({"  T", "nodes", "cuts", "serial", "barriers", "arena", "call estimate"});
  for (const RegimeView& regime : regimes) {
    const RegimeTotals& totals = regime.totals;
    table.Add({StrCat("  ", RangeText(regime.tokens())), TargetsText(totals),
               StrCat(totals.boundaries), StrCat(totals.serial_steps), StrCat(totals.barriers),
               BytesText(static_cast<double>(totals.arena_bytes)),
               SpanText(TimeText(totals.estimate_ns_min), TimeText(totals.estimate_ns_max))});
  }
  return table.Text();
}

Json TotalsJson(const RegimeView& regime) {
  const RegimeTotals& totals = regime.totals;
  Json nodes = Json::object();
  for (const TargetRecord& record : kTargets) {
    const int64_t count = totals.nodes_on[static_cast<size_t>(record.target)];
    if (count > 0 || !record.is_special) nodes[std::string(record.name)] = count;
  }
  Json json = {{"tokens", {regime.tokens().min, regime.tokens().max}},
               {"name", regime.label()},
               {"nodes", std::move(nodes)},
               {"device_boundaries", totals.boundaries},
               {"copies", totals.copies},
               {"copied_bytes",
                {std::llround(totals.copied_bytes_min), std::llround(totals.copied_bytes_max)}},
               {"waits", totals.waits},
               {"serial_steps", totals.serial_steps},
               {"barriers", totals.barriers},
               {"arena_bytes", totals.arena_bytes},
               {"arena_lower_bound_bytes", totals.arena_lower_bound_bytes},
               {"estimate_ns", EstimateJson(totals.estimate_ns_min, totals.estimate_ns_max)}};
  return json;
}

}  // namespace infer
