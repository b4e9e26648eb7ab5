// SPDX-License-Identifier: Apache-2.0
#include "tools/run/drafting.h"

#include <algorithm>
#include <map>

#include "absl/status/statusor.h"
#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "ir/policy/machine_text.h"
#include "passes/estimate.h"

namespace infer {
namespace {

const Regime* RegimeOf(const Program& program, int64_t tokens) {
  for (const Regime& regime : program.regimes) {
    if (regime.min_tokens <= tokens && tokens <= regime.max_tokens) return &regime;
  }
  return nullptr;
}

}  // namespace

std::array<double, kMaxDraft + 1> DraftCosts(const Program& program) {
  std::array<double, kMaxDraft + 1> costs;
  costs.fill(1);
  const absl::StatusOr<MachineDescription> machine = ParseMachine(program.machine.text, "machine");
  if (!machine.ok()) return costs;
  for (int64_t k = 0; k <= kMaxDraft; ++k) {
    const Regime* regime = RegimeOf(program, 1 + k);
    if (regime == nullptr) break;
    const SymbolValues at = {.t = 1 + k,
                             .r = std::min(1 + k, program.symbols[Symbol::kR].max),
                             .s = std::max(program.symbols[Symbol::kS].max / 2, 1 + k)};
    const double ns = EstimateCall(regime->graph, *machine, at).ns();
    if (ns > 0) costs[static_cast<size_t>(k)] = ns;
  }
  return costs;
}

std::string NodeThatDraftsChange(const Program& program) {
  std::map<std::string, std::string> classes;  // by node
  for (const Regime& regime : program.regimes) {
    if (regime.min_tokens > 1 + kMaxDraft) break;
    for (const Node* node : regime.graph.nodes()) {
      if (!node->placement() || node->op().traits.view) continue;
      const std::string& here = node->placement()->kernel_record.numerics;
      const std::string name = NodeName(*node);
      const std::string& first =
          classes.try_emplace(StrCat(node->op().name, " ", name), here).first->second;
      if (here.empty() || here != first) return name;
    }
  }
  return {};
}

}  // namespace infer
