// SPDX-License-Identifier: Apache-2.0
#include "tools/compile/summary.h"

#include <map>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/strings.h"

namespace infer {
namespace {

std::string RegimeLine(const Regime& regime) {
  std::map<std::string, int> targets;
  for (const Node* node : regime.graph.nodes()) {
    if (node->placement()) ++targets[std::string(Name(node->placement()->target))];
  }
  size_t boundaries = regime.graph.plan()->segments.size() - 1;
  uint64_t arena = 0, lower_bound = 0;
  for (const Arena& space : regime.graph.plan()->arenas) {
    arena += space.bytes;
    lower_bound += space.lower_bound;
  }
  return absl::StrFormat("  T %d..%d  %s  boundaries %d  arena %.1f MiB (lower bound %.1f)\n",
                         regime.min_tokens, regime.max_tokens,
                         absl::StrJoin(targets, " ", absl::PairFormatter(" ")), boundaries,
                         arena / 1048576.0, lower_bound / 1048576.0);
}

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

}  // namespace

std::string Summarize(const Program& program, const MemoryEstimate& memory) {
  const SymbolRanges& symbols = program.symbols;
  std::string files = absl::StrJoin(
      program.model.files, ", ", [](std::string* out, const auto& f) { StrAppend(out, f.name); });
  std::string text = StrCat("model    ", files, "\npolicy   ", program.policy.name, "\n");
  absl::StrAppendFormat(&text, "symbols  T 1..%d  R 1..%d  S 1..%d\n", symbols[Symbol::kT].max,
                        symbols[Symbol::kR].max, symbols[Symbol::kS].max);
  text += "regimes\n";
  for (const Regime& regime : program.regimes) text += RegimeLine(regime);
  text += "work\n";
  text += CostLine(program, "a token at an empty context", {1, 1, 1});
  text += CostLine(program, "a token at a full context  ", {1, 1, symbols[Symbol::kS].max});
  text += CostLine(program, "a full chunk               ",
                   {symbols[Symbol::kT].max, 1, symbols[Symbol::kT].max});
  return text + ToText(memory);
}

}  // namespace infer
