// SPDX-License-Identifier: Apache-2.0
#include "tools/compile/summary.h"

#include <algorithm>
#include <map>
#include <optional>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "passes/node_facts.h"
#include "tools/report/machine_text.h"
#include "tools/report/program_head.h"
#include "tools/report/regime_table.h"

namespace infer {
namespace {

std::string CostLine(const Program& program, std::string_view what, const SymbolValues& at) {
  double flops = 0, bytes = 0;
  for (const Regime& regime : program.regimes) {
    if (at.t < regime.min_tokens || at.t > regime.max_tokens) continue;
    for (const Node* node : regime.graph.nodes()) {
      if (!node->placement()) continue;
      flops += node->placement()->cost.flops.At(at);
      bytes += node->placement()->cost.bytes.At(at);
    }
  }
  return absl::StrFormat("  %s  %.3f GFLOP  %.3f GB read and written\n", what, flops / 1e9,
                         bytes / 1e9);
}

// Memory and times are each given for a number of threads, and the two numbers may differ.
std::string ThreadsLine(const Program& program, const MemoryEstimate& memory,
                        const CompileReport& report) {
  std::string text = StrCat("threads  ", report.threads_from);
  const int64_t described = MachineThreads(program.machine);
  if (described == memory.threads) {
    StrAppend(&text, "; memory and estimates are for ", described);
  } else if (described != 0) {
    StrAppend(&text, "; memory is for ", memory.threads, ", estimates for the machine's ",
              described);
  }
  return text + "\n";
}

}  // namespace

int64_t NodesPerLayer(const Graph& graph) {
  std::map<int64_t, int64_t> nodes_of;  // by layer
  for (const Node* node : graph.nodes()) {
    if (std::optional<int64_t> layer = LayerOf(node->scope()); layer && IsExecuted(*node)) {
      ++nodes_of[*layer];
    }
  }
  std::map<int64_t, int64_t> layers_with;  // by number of nodes
  for (const auto& [layer, nodes] : nodes_of) ++layers_with[nodes];
  auto most = std::ranges::max_element(
      layers_with, {}, [](const std::pair<const int64_t, int64_t>& entry) { return entry.second; });
  return most == layers_with.end() ? 0 : most->first;
}

std::string SummaryText(const Program& program, const MemoryEstimate& memory,
                        const CompileReport& report) {
  const SymbolRanges& symbols = program.symbols;
  std::string text = HeadText(program, 9);
  if (!report.threads_from.empty()) text += ThreadsLine(program, memory, report);
  absl::StrAppendFormat(&text, "symbols  T 1..%d  R 1..%d  S 1..%d\n", symbols[Symbol::kT].max,
                        symbols[Symbol::kR].max, symbols[Symbol::kS].max);
  absl::StrAppendFormat(&text, "passes   %d nodes per layer (%d before fusion), %.1f ms\n",
                        report.layer_nodes_fused, report.layer_nodes_imported, report.compile_ms);
  text += ToText(report.invariant_costs);
  text += ToText(report.rank_costs, program.policy.shard);
  text += "regimes\n";
  text += RegimeTable(ViewRegimes(program));
  text += "work\n";
  text += CostLine(program, "a token at an empty context", {1, 1, 1});
  text += CostLine(program, "a token at a full context  ", {1, 1, symbols[Symbol::kS].max});
  text += CostLine(program, "a full chunk               ",
                   {symbols[Symbol::kT].max, symbols[Symbol::kR].max, symbols[Symbol::kT].max});
  return text + ToText(memory);
}

}  // namespace infer
