// SPDX-License-Identifier: Apache-2.0
//
// Orders the sections by what surprises most: moved nodes with both reasons, other kernels and
// rules, nodes that only one side has, then the tables of regimes, estimates and memory.
#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "ir/base/strings.h"
#include "tools/diff/diff.h"
#include "tools/diff/diff_tables.h"
#include "tools/report/placement_text.h"
#include "tools/report/program_head.h"
#include "tools/report/quantity_text.h"
#include "tools/report/wrapped_text.h"

namespace infer {
namespace {

std::string LayersOf(const NodeGroup& group) {
  if (group.layers.empty()) return "";
  return StrCat(" (layer", group.layers.size() > 1 ? "s " : " ", LayersText(group.layers), ")");
}

bool TellsTheSame(const NodePair& x, const NodePair& y) {
  auto same = [](const NodeView* p, const NodeView* q) {
    if (p == nullptr || q == nullptr) return p == q;
    const Placement& a = p->placement();
    const Placement& b = q->placement();
    return a.target == b.target && a.kernel == b.kernel && a.rule == b.rule &&
           a.source == b.source && a.rejected == b.rejected;
  };
  return x.change == y.change && same(x.a, y.a) && same(x.b, y.b);
}

std::string WhyNot(const Placement& placement, Target target) {
  for (const Rejected& rejected : placement.rejected) {
    if (rejected.target == target) return StrCat("; not ", Name(target), ": ", rejected.text);
  }
  return "";
}

std::string ReasonOf(const Program& program, const NodeView& view, const NodeView& other) {
  const Placement& placement = view.placement();
  return StrCat(DecidedByText(program, placement), ": ", BecauseText(program, placement),
                WhyNot(placement, other.placement().target));
}

// Says how a node changed, with one paragraph for neighbouring intervals that changed alike.
// Kernels are named after their targets, so they are given only where the target stays.
std::string ChangesOf(const ProgramDiff& diff, const DiffRow& row) {
  std::string text;
  for (size_t i = 0; i < row.pairs.size();) {
    const NodePair& pair = row.pairs[i];
    size_t last = i;
    while (last + 1 < row.pairs.size() && TellsTheSame(pair, row.pairs[last + 1])) ++last;
    Range tokens = {diff.intervals[i].tokens.min, diff.intervals[last].tokens.max};
    i = last + 1;
    if (pair.change == NodeChange::kNone || pair.a == nullptr || pair.b == nullptr) continue;
    const Placement& a = pair.a->placement();
    const Placement& b = pair.b->placement();
    bool moved = pair.change == NodeChange::kMoved;
    StrAppend(&text, "    T ", RangeText(tokens), "  ",
              moved ? StrCat(Name(a.target), " -> ", Name(b.target)) : Shift(a.kernel, b.kernel),
              "\n");
    AppendWrapped(&text, "      a", 9, ReasonOf(*diff.a.program, *pair.a, *pair.b));
    AppendWrapped(&text, "      b", 9, ReasonOf(*diff.b.program, *pair.b, *pair.a));
  }
  return text;
}

// Lists nodes that changed alike together, above what happened to them.
std::string PlacementText(const ProgramDiff& diff, NodeChange change) {
  std::vector<std::pair<std::string, std::vector<std::string>>> told;  // changes, nodes
  for (const DiffRow& row : diff.rows) {
    if (row.change != change) continue;
    std::string changes = ChangesOf(diff, row);
    auto it = std::ranges::find(told, changes, &decltype(told)::value_type::first);
    if (it == told.end()) it = told.insert(it, {changes, {}});
    std::string node = StrCat(row.group.NameInLayer(), " ", row.group.op, LayersOf(row.group));
    if (std::ranges::find(it->second, node) == it->second.end()) it->second.push_back(node);
  }
  std::string text;
  for (const auto& [changes, nodes] : told) {
    AppendWrapped(&text, "", 2, absl::StrJoin(nodes, ", "));
    text += changes;
  }
  return text;
}

// Nodes that only one side has, by scope: a composite op that was decomposed takes one line.
struct ScopeChange {
  std::string title;
  std::vector<std::pair<std::string_view, int>> removed, added;  // op, count
};

void CountOp(std::string_view op, std::vector<std::pair<std::string_view, int>>* ops) {
  auto it = std::ranges::find(*ops, op, &std::pair<std::string_view, int>::first);
  if (it == ops->end()) it = ops->insert(it, {op, 0});
  ++it->second;
}

std::string OpsText(const std::vector<std::pair<std::string_view, int>>& ops) {
  if (ops.empty()) return "nothing";
  return absl::StrJoin(ops, ", ", [](std::string* out, const auto& op) {
    StrAppend(out, op.first);
    if (op.second > 1) StrAppend(out, " x", op.second);
  });
}

std::string GraphText(const ProgramDiff& diff) {
  std::vector<std::pair<std::string, ScopeChange>> scopes;  // in program order
  for (const DiffRow& row : diff.rows) {
    if (row.change < NodeChange::kRemoved) continue;
    const std::string layers = LayersOf(row.group);
    std::string key = StrCat(row.group.scope, layers);
    auto it = std::ranges::find(scopes, key, &std::pair<std::string, ScopeChange>::first);
    if (it == scopes.end()) it = scopes.insert(it, {key, {}});
    // A fused node gives the name, since its name lists what it consists of.
    std::string title = StrCat(row.group.NameInLayer(), layers);
    if (title.size() > it->second.title.size()) it->second.title = std::move(title);
    CountOp(row.group.op,
            row.change == NodeChange::kRemoved ? &it->second.removed : &it->second.added);
  }
  std::string text;
  for (const auto& [scope, change] : scopes) {
    StrAppend(&text, "  ", change.title, "\n");
    AppendWrapped(&text, "", 4, StrCat(OpsText(change.removed), " -> ", OpsText(change.added)));
  }
  return text;
}

// Overrides and machine are listed below the name: two sides with one policy can differ in them.
std::string SideText(std::string_view label, const ProgramDiff::Side& side) {
  std::string text;
  AppendWrapped(
      &text, label, 3,
      StrCat(side.name, "  policy ", side.program->policy.name, "  regimes ",
             absl::StrJoin(side.regimes, ", ", [](std::string* out, const RegimeView& regime) {
               StrAppend(out, RangeText(regime.tokens()));
             })));
  for (const HeadLine& line : PlacedLines(*side.program)) {
    AppendWrapped(&text, StrCat("   ", line.label), 12, line.text);
  }
  return text;
}

}  // namespace

std::string ToText(const ProgramDiff& diff) {
  std::string text = StrCat(SideText("a", diff.a), SideText("b", diff.b));
  for (NodeChange change : {NodeChange::kMoved, NodeChange::kKernel, NodeChange::kRule}) {
    if (diff.Count(change) == 0) continue;
    std::string_view title = change == NodeChange::kMoved    ? "moved"
                             : change == NodeChange::kKernel ? "other kernels"
                                                             : "other rules, same place";
    StrAppend(&text, "\n", title, ": ", diff.Count(change), " nodes\n",
              PlacementText(diff, change));
  }
  if (diff.graph_differs()) {
    StrAppend(&text, "\ngraph: ", diff.Count(NodeChange::kRemoved), " nodes removed, ",
              diff.Count(NodeChange::kAdded), " added\n", GraphText(diff));
  }
  if (diff.rows.empty()) text += "\nno node is added, removed or moved\n";
  const int64_t most_a = diff.a.program->regimes.back().max_tokens;
  const int64_t most_b = diff.b.program->regimes.back().max_tokens;
  if (most_a != most_b) {
    StrAppend(&text, "\nonly ", most_a > most_b ? "a" : "b", " serves T ",
              RangeText({std::min(most_a, most_b) + 1, std::max(most_a, most_b)}),
              ", which is not compared\n");
  }
  return StrCat(text, "\nregimes\n", RegimesText(diff), "\n", EstimatesText(diff), "\n",
                MemoryText(diff));
}

}  // namespace infer
