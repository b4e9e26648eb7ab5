// SPDX-License-Identifier: Apache-2.0
#include "passes/placement_record.h"

#include <algorithm>
#include <utility>

#include "ir/base/strings.h"

namespace infer {

Placement MakePlacement(Target target, const RuleChoice& choice, PlacementSource source,
                        std::vector<Rejected> refused) {
  Placement placement;
  placement.target = target;
  placement.rule = choice.rule->name;
  placement.source = source;
  placement.terms = choice.terms;
  placement.rejected = std::move(refused);
  const std::vector<Target>& listed = choice.rule->targets;
  auto chosen = std::find(listed.begin(), listed.end(), target);
  for (const TargetRecord& record : kTargets) {
    const Target other = record.target;
    if (other == target) continue;
    auto it = std::find(listed.begin(), listed.end(), other);
    if (it == listed.end() && record.is_special) continue;
    if (it == listed.end()) {
      placement.rejected.push_back({other, Rejected::Code::kNotInRule,
                                    StrCat("rule ", choice.rule->name, " does not list it")});
    } else if (it > chosen) {
      placement.rejected.push_back({other, Rejected::Code::kLowerInRule,
                                    StrCat("rule ", choice.rule->name, " prefers ", Name(target))});
    }
  }
  return placement;
}

Placement CompletePlacement(Placement placement, const Node& node, const KernelFacts& kernel) {
  placement.kernel = kernel.name;
  placement.kernel_record = kernel.record;
  // Estimates stay zero: they are computed from a machine description.
  placement.cost = CostOf(node);
  return placement;
}

}  // namespace infer
