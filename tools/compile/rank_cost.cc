// SPDX-License-Identifier: Apache-2.0
#include "tools/compile/rank_cost.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "passes/estimate.h"
#include "tools/api/estimated_call.h"
#include "tools/compile/without_reports.h"

namespace infer {

std::vector<RankCost> RankCosts(const Program& program, const ModelFile& model,
                                const KernelCatalog& catalog, CompileModelOptions options) {
  std::vector<RankCost> costs;
  if (program.policy.shard.ranks < 2) return costs;
  options.shard.ranks = 1;
  const absl::StatusOr<Program> alone = CompileModel(model, catalog, WithoutReports(options));
  if (!alone.ok()) return costs;
  for (const int64_t tokens : {int64_t{1}, program.symbols[Symbol::kT].max}) {
    const SymbolValues at = {
        .t = tokens, .r = std::min(tokens, program.symbols[Symbol::kR].max), .s = tokens};
    RankCost cost{.tokens = tokens};
    cost.alone_ms = EstimatedCallNs(*alone, at) / 1e6;
    cost.ms = EstimatedCallNs(program, at) / 1e6;
    for (const Regime& regime : program.regimes) {
      if (tokens < regime.min_tokens || tokens > regime.max_tokens) continue;
      // The estimates of a Program are for the ends of its regimes, which these calls are.
      for (const Node* node : regime.graph.nodes()) {
        if (!node->op().traits.collective) continue;
        const Placement& placement = *node->placement();
        ++cost.collectives;
        // Shared rows are not sent: reading them from the other ranks' caches is what takes time.
        if (!node->op().traits.shares_rows) cost.received_bytes += placement.cost.bytes.At(at);
        cost.collectives_ms +=
            (tokens == 1 ? placement.estimate_ns_min : placement.estimate_ns_max) / 1e6;
      }
    }
    costs.push_back(cost);
  }
  return costs;
}

std::string ToText(const std::vector<RankCost>& costs, const ShardPolicy& shard) {
  if (costs.empty()) return "";
  std::string text = StrCat("gain     of ", shard.ranks, " ranks by the estimates:\n");
  for (const RankCost& cost : costs) {
    absl::StrAppendFormat(
        &text,
        "  %4d %s  %.1f KB received in %d collectives, %.2f of %.2f ms; one process %.2f ms: "
        "%.2f times as fast\n",
        cost.tokens, cost.tokens == 1 ? "token " : "tokens", cost.received_bytes / 1e3,
        cost.collectives, cost.collectives_ms, cost.ms, cost.alone_ms,
        cost.ms > 0 ? cost.alone_ms / cost.ms : 0.0);
  }
  if (costs.back().collectives > 0 && costs.back().collectives_ms == 0) {
    text += "  messages count as free: the machine description has no network\n";
  }
  return text;
}

}  // namespace infer
