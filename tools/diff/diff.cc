// SPDX-License-Identifier: Apache-2.0
#include "tools/diff/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "ir/base/hash.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "ir/graph/plan.h"
#include "ir/policy/machine.h"
#include "ir/policy/machine_text.h"
#include "passes/estimate.h"
#include "runtime/packed_weights.h"
#include "runtime/session.h"

namespace infer {
namespace {

NodeChange ChangeOf(const NodeView* a, const NodeView* b) {
  if (a == nullptr) return NodeChange::kAdded;
  if (b == nullptr) return NodeChange::kRemoved;
  const Placement& was = a->placement();
  const Placement& is = b->placement();
  if (was.target != is.target) return NodeChange::kMoved;
  if (was.kernel != is.kernel) return NodeChange::kKernel;
  return was.rule != is.rule || was.source != is.source ? NodeChange::kRule : NodeChange::kNone;
}

// Equal for changes that can be reported in one sentence.
uint64_t SignatureOf(const NodePair& pair) {
  Hasher hash;
  hash.Add(static_cast<uint64_t>(pair.change));
  if (pair.a == nullptr || pair.b == nullptr) return hash.Finish();
  for (const NodeView* side : {pair.a, pair.b}) {
    const Placement& placement = side->placement();
    hash.Add(Name(placement.target)).Add(placement.kernel).Add(placement.rule);
    hash.Add(Name(placement.source));
    for (const Rejected& rejected : placement.rejected) hash.Add(rejected.text);
  }
  return hash.Finish();
}

std::vector<DiffInterval> IntervalsOf(const Program& a, const Program& b) {
  std::set<int64_t> begins;
  for (const Program* side : {&a, &b}) {
    for (const Regime& regime : side->regimes) {
      begins.insert(regime.min_tokens);
      begins.insert(regime.max_tokens + 1);
    }
  }
  std::vector<DiffInterval> intervals;
  for (auto it = begins.begin(); it != begins.end() && std::next(it) != begins.end(); ++it) {
    DiffInterval interval;
    interval.tokens = {*it, *std::next(it) - 1};
    interval.a = RegimeOf(a, *it);
    interval.b = RegimeOf(b, *it);
    if (interval.a >= 0 && interval.b >= 0) intervals.push_back(interval);
  }
  return intervals;
}

// Estimates both sides for the same calls, which both can serve: the ends of a regime may differ
// from those of the interval, and the two sides may differ in context and rows of logits.
void AddEstimates(ProgramDiff* diff) {
  const Program& a = *diff->a.program;
  const Program& b = *diff->b.program;
  // A loaded Program has a readable machine description, or none.
  const absl::StatusOr<MachineDescription> machine_a = ParseMachine(a.machine.text, "machine");
  const absl::StatusOr<MachineDescription> machine_b = ParseMachine(b.machine.text, "machine");
  auto ns = [](const Regime& regime, const absl::StatusOr<MachineDescription>& machine,
               const SymbolValues& at) {
    return machine.ok() ? std::round(EstimateCall(regime.graph, *machine, at).ns()) : 0;
  };
  for (DiffInterval& interval : diff->intervals) {
    SymbolRanges symbols = a.symbols;
    for (Symbol symbol : {Symbol::kR, Symbol::kS}) {
      symbols[symbol].max = std::min(symbols[symbol].max, b.symbols[symbol].max);
    }
    symbols = RegimeSymbols(symbols, interval.tokens);
    interval.least.at = LowerEnd(symbols);
    interval.most.at = UpperEnd(symbols);
    for (CallAt* call : {&interval.least, &interval.most}) {
      call->a_ns = ns(a.regimes[interval.a], machine_a, call->at);
      call->b_ns = ns(b.regimes[interval.b], machine_b, call->at);
    }
  }
}

// Returns the pairs of one interval that changed: a's nodes in order, then those that only b has.
std::vector<NodePair> PairsOf(const RegimeView& a, const RegimeView& b) {
  std::map<uint64_t, const NodeView*> in_a, in_b;
  for (const NodeView& view : a.nodes) in_a[view.id] = &view;
  for (const NodeView& view : b.nodes) in_b[view.id] = &view;
  std::vector<NodePair> pairs;
  auto add = [&](const NodeView* was, const NodeView* is) {
    NodeChange change = ChangeOf(was, is);
    if (change != NodeChange::kNone) pairs.push_back({change, was, is});
  };
  for (const NodeView& view : a.nodes) {
    auto it = in_b.find(view.id);
    add(&view, it == in_b.end() ? nullptr : it->second);
  }
  for (const NodeView& view : b.nodes) {
    if (!in_a.contains(view.id)) add(nullptr, &view);
  }
  return pairs;
}

std::vector<DiffRow> RowsOf(const ProgramDiff& diff) {
  std::vector<NodePair> pairs;
  std::vector<ColumnNode> items;
  for (size_t i = 0; i < diff.intervals.size(); ++i) {
    const DiffInterval& interval = diff.intervals[i];
    for (const NodePair& pair : PairsOf(diff.a.regimes[interval.a], diff.b.regimes[interval.b])) {
      const NodeView& view = pair.a != nullptr ? *pair.a : *pair.b;
      items.push_back({static_cast<int32_t>(i), view.node->scope(), NodeName(*view.node),
                       view.node->op().name, view.ordinal, SignatureOf(pair)});
      pairs.push_back(pair);
    }
  }
  std::vector<DiffRow> rows;
  for (NodeGroup& group : GroupNodes(items, static_cast<int32_t>(diff.intervals.size()))) {
    std::set<NodeChange> changes;
    for (int32_t item : group.items)
      changes.insert(item < 0 ? NodeChange::kNone : pairs[item].change);
    changes.erase(NodeChange::kNone);
    for (NodeChange change : changes) {
      DiffRow row{.group = group, .pairs = {}, .change = change};
      for (int32_t item : group.items) {
        const bool told = item >= 0 && pairs[item].change == change;
        row.pairs.push_back(told ? pairs[item] : NodePair{});
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

absl::StatusOr<std::map<std::string, uint64_t>> MemoryOf(const Program& program,
                                                         const KernelRegistry& registry) {
  std::map<std::string, uint64_t> memory;
  for (const auto& [layout, bytes] : WeightBytesByLayout(program, registry)) {
    memory[StrCat("weights (", layout, ")")] = bytes;
  }
  ASSIGN_OR_RETURN(memory["kv at full context"],
                   PredictCacheBytes(program, {.context = program.symbols[Symbol::kS].max}));
  uint64_t& arena = memory["arena"];
  for (const Regime& regime : program.regimes) {
    for (const Arena& space : regime.graph.plan()->arenas) arena = std::max(arena, space.bytes);
  }
  return memory;
}

absl::Status CheckSameModel(const ProgramDiff& diff) {
  const ModelRef& a = diff.a.program->model;
  const ModelRef& b = diff.b.program->model;
  if (a.header_hash == b.header_hash) return absl::OkStatus();
  std::string name_a = ModelText(a), name_b = ModelText(b);
  return absl::InvalidArgumentError(
      StrCat(diff.a.name, " is a program of ", name_a, " and ", diff.b.name, " of ",
             name_a == name_b ? StrCat("another file named ", name_b) : name_b,
             ": nodes of different models cannot be compared; compile both from the same file"));
}

}  // namespace

std::string_view Name(NodeChange change) {
  constexpr std::string_view kNames[] = {"none", "rule", "kernel", "moved", "removed", "added"};
  return kNames[static_cast<size_t>(change)];
}

int64_t ProgramDiff::Count(NodeChange change) const {
  int64_t nodes = 0;
  for (const DiffRow& row : rows) nodes += row.change == change ? row.nodes() : 0;
  return nodes;
}

bool ProgramDiff::graph_differs() const {
  return Count(NodeChange::kAdded) + Count(NodeChange::kRemoved) > 0;
}

bool ProgramDiff::placement_differs() const {
  return Count(NodeChange::kMoved) + Count(NodeChange::kKernel) > 0;
}

bool ProgramDiff::memory_differs() const {
  return std::ranges::any_of(memory, [](const MemoryChange& m) { return m.a_bytes != m.b_bytes; });
}

absl::StatusOr<ProgramDiff> DiffPrograms(std::string name_a, const Program& a, std::string name_b,
                                         const Program& b, const KernelRegistry& registry) {
  ProgramDiff diff;
  diff.a = {std::move(name_a), &a, ViewRegimes(a)};
  diff.b = {std::move(name_b), &b, ViewRegimes(b)};
  RETURN_IF_ERROR(CheckSameModel(diff));
  diff.intervals = IntervalsOf(a, b);
  AddEstimates(&diff);
  diff.rows = RowsOf(diff);
  ASSIGN_OR_RETURN(auto memory_a, MemoryOf(a, registry));
  ASSIGN_OR_RETURN(auto memory_b, MemoryOf(b, registry));
  std::set<std::string> parts;
  for (const auto* side : {&memory_a, &memory_b}) {
    for (const auto& [what, bytes] : *side) parts.insert(what);
  }
  for (const std::string& what : parts) {
    diff.memory.push_back({what, memory_a[what], memory_b[what]});
  }
  return diff;
}

}  // namespace infer
