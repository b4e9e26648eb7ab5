// SPDX-License-Identifier: Apache-2.0
#include "tools/profile/profile_estimates.h"

#include <string>
#include <unordered_map>

#include "ir/base/status_macros.h"
#include "ir/graph/plan.h"
#include "ir/policy/machine.h"
#include "ir/policy/machine_text.h"
#include "ir/text/program_fields.h"
#include "passes/boundary_cost.h"
#include "passes/estimate.h"

namespace infer {
namespace {

void EstimateRegime(const Graph& graph, const MachineDescription& machine, ProfileRegime* regime) {
  std::unordered_map<uint64_t, const Node*> nodes;
  const std::vector<uint64_t> ids = NodeIds(graph);
  const std::vector<Node*> in_order = graph.nodes();
  for (size_t i = 0; i < ids.size(); ++i) nodes.emplace(ids[i], in_order[i]);
  std::unordered_map<uint64_t, const CopyStep*> copies;
  for (const Segment& segment : graph.plan()->segments) {
    for (const Step& step : segment.steps) {
      if (step.copy) copies.emplace(CopyId(ids[step.copy->value.node], *step.copy), &*step.copy);
    }
  }
  const SymbolicCount call_bytes = CallBytes(graph);
  for (CallGroup& group : regime->groups) {
    const SymbolValues at = group.MeanSymbols();
    group.estimate_ns = EstimateCall(graph, machine, at).ns();
    for (size_t i = 0; i < regime->nodes.size(); ++i) {
      if (auto at_copy = copies.find(regime->nodes[i].id); at_copy != copies.end()) {
        const CopyStep& copy = *at_copy->second;
        const ValueType& type = in_order[copy.value.node]->result(copy.value.result).type;
        group.timings[i].estimate_ns = CrossingNs(type, copy.from, copy.to, machine, at);
        continue;
      }
      const Node& node = *nodes.at(regime->nodes[i].id);
      group.timings[i].estimate_ns =
          EstimateNode(node, node.placement()->target, call_bytes, machine, at).ns();
    }
  }
}

}  // namespace

absl::Status EstimateProfile(const Program& program, Profile* profile) {
  if (program.machine.text.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(MachineDescription machine,
                   ParseMachine(program.machine.text, "the program's machine description"));
  profile->machine = Name(program.machine.origin);
  for (size_t i = 0; i < program.regimes.size(); ++i) {
    EstimateRegime(program.regimes[i].graph, machine, &profile->regimes[i]);
  }
  return absl::OkStatus();
}

}  // namespace infer
