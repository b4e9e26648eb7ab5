// SPDX-License-Identifier: Apache-2.0
//
// Finds where T must be cut. With a rule from 4 rows and one from 8, T = 1..512 becomes
//
//   1..3, 4..7, 8..512
//
// Candidates are the values of T at which a predicate of a rule or a row limit of a kernel changes
// its answer; each is a step of a non-decreasing function of T, so bisection finds it. The
// decisions at both ends then prove an interval, and neighbours with equal decisions are joined.
// Layers repeat, so each kind of node is examined once.
#include "passes/cut_regimes.h"

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/program/program.h"
#include "ir/verify/verifier.h"
#include "passes/choose_target.h"
#include "passes/expand.h"
#include "passes/node_facts.h"

namespace infer {
namespace {

class RegimeCutter {
 public:
  RegimeCutter(const Graph& graph, const Policy& policy, const KernelCatalog& catalog)
      : policy_(policy), catalog_(catalog), symbols_(graph.symbols()) {}

  absl::Status Add(const Node& node) {
    if (!IsExecuted(node)) return absl::OkStatus();
    Kind kind{&node, FactsOf(node), {}};
    kind.rules = RulesOf(kind.facts);
    if (!texts_.insert(TextOf(kind)).second) return absl::OkStatus();
    bool decompose = policy_.composites == Policy::Composites::kDecompose;
    if (!node.op().composite()) {
      AddCuts(kind, {&node});
      kinds_.push_back(std::move(kind));
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(std::vector<const Node*> parts, PartsOf(node, /*with_composites=*/!decompose));
    if (decompose) {
      for (const Node* part : parts) RETURN_IF_ERROR(Add(*part));
      return absl::OkStatus();
    }
    parts.push_back(&node);
    AddCuts(kind, parts);
    kinds_.push_back(std::move(kind));
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<Range>> Intervals() const {
    const Range& tokens = symbols_[Symbol::kT];
    std::vector<Range> intervals;
    std::vector<std::string> former;
    auto next = cuts_.begin();
    for (int64_t begin = tokens.min; begin <= tokens.max;) {
      int64_t end = next == cuts_.end() ? tokens.max : next->first - 1;
      ASSIGN_OR_RETURN(std::vector<std::string> decisions, Prove({begin, end}));
      if (!intervals.empty() && decisions == former) {
        intervals.back().max = end;
      } else {
        intervals.push_back({begin, end});
      }
      former = std::move(decisions);
      begin = end + 1;
      if (next != cuts_.end()) ++next;
    }
    if (intervals.size() > kMaxRegimes) return TooMany(intervals);
    return intervals;
  }

 private:
  // Nodes that no rule and no kernel can distinguish, represented by one of them.
  struct Kind {
    const Node* node;
    NodeFacts facts;
    std::vector<const Rule*> rules;  // match at some T; none follows one that matches every T
  };

  std::vector<const Rule*> RulesOf(const NodeFacts& facts) const {
    std::vector<const Rule*> rules;
    for (const Rule& rule : policy_.rules) {
      const Range tokens = TokensOf(rule, facts, symbols_);
      if (tokens.max < tokens.min) continue;
      rules.push_back(&rule);
      if (tokens == symbols_[Symbol::kT]) break;
    }
    return rules;
  }

  // Returns everything that rules, kernels and decompositions can see of a node. Its names count
  // only through the rules they match.
  std::string TextOf(const Kind& kind) const {
    const Node& node = *kind.node;
    std::string text = StrCat(node.op().name, "(");
    for (Value input : node.inputs()) {
      StrAppend(&text, input.node->op().traits.weight ? "w:" : "", ToString(input.type()), ",");
    }
    for (const Attr& attr : node.attrs()) StrAppend(&text, ToString(attr), ",");
    for (const ValueType& type : node.ResultTypes()) StrAppend(&text, ":", ToString(type));
    if (node.op().composite() && policy_.composites == Policy::Composites::kDecompose) {
      StrAppend(&text, PlaceOf(kind.facts));
    } else {
      for (const Rule* rule : kind.rules) StrAppend(&text, "|", rule - policy_.rules.data());
    }
    return text;
  }

  // Returns what rules for the parts of a node can see of the node's place: parts have its scope.
  std::string PlaceOf(const NodeFacts& facts) const {
    std::string place;
    for (const Rule& rule : policy_.rules) {
      if (!rule.node.empty() || !rule.node_regex.empty()) return StrCat("|", facts.scopes[0]);
      Rule here;
      here.scope = rule.scope;
      here.layer = rule.layer;
      place += Match(here, facts, symbols_).matches ? 'y' : 'n';
    }
    return place;
  }

  // Returns the primitives of a composite node and, on request, all composites expanded on the way.
  absl::StatusOr<std::vector<const Node*>> PartsOf(const Node& node, bool with_composites) {
    NodeCopy& copy = copies_.emplace_back(CopyNode(node));
    std::vector<Node*> work = {copy.node};
    std::vector<const Node*> parts;
    for (size_t i = 0; i < work.size(); ++i) {
      Node* part = work[i];
      if (!part->op().composite()) {
        parts.push_back(part);
        continue;
      }
      // Expanding destroys the node.
      if (with_composites && i > 0) parts.push_back(copies_.emplace_back(CopyNode(*part)).node);
      ASSIGN_OR_RETURN(std::vector<Node*> inner, Expand(copy.graph, part));
      work.insert(work.end(), inner.begin(), inner.end());
    }
    return parts;
  }

  // Adds the cuts of the rules of a kind, and those of the kernels for its node or the node's
  // `parts`.
  void AddCuts(const Kind& kind, const std::vector<const Node*>& parts) {
    std::set<Target> targets;
    for (const Rule* rule : kind.rules) {
      for (const Comparison& comparison : ComparisonsOf(*rule, kind.facts)) {
        CutWhere(StrCat("rule ", rule->name),
                 [&](int64_t tokens) { return comparison.HoldsAt(symbols_, tokens); });
      }
      targets.insert(rule->targets.begin(), rule->targets.end());
    }
    for (const Node* part : parts) {
      for (Target target : targets) AddKernelCuts(*part, target);
    }
  }

  void AddKernelCuts(const Node& node, Target target) {
    const ValueType* type = RowsType(node);
    if (type == nullptr) return;
    Dim rows = type->dim(0);
    for (const RowLimits& limits : catalog_.LimitsOf(node, target)) {
      std::string by = StrCat("kernel ", limits.kernel);
      CutWhere(by, [&](int64_t tokens) {
        return rows.At(SymbolsAt(tokens).Lowest()) >= limits.min_rows;
      });
      CutWhere(by, [&](int64_t tokens) {
        return rows.At(SymbolsAt(tokens).Highest()) <= limits.max_rows;
      });
    }
  }

  // Records the first T at which `holds` changes its answer, if there is one.
  void CutWhere(std::string_view by, const std::function<bool(int64_t)>& holds) {
    int64_t change = FirstChange(symbols_[Symbol::kT], holds);
    if (change <= symbols_[Symbol::kT].max) cuts_[change].emplace(by);
  }

  SymbolRanges SymbolsAt(int64_t tokens) const { return RegimeSymbols(symbols_, {tokens, tokens}); }

  // Returns rule, target and kernels of each kind of node for a call of this many tokens.
  std::vector<std::string> DecisionsAt(int64_t tokens) const {
    const SymbolRanges symbols = SymbolsAt(tokens);
    std::vector<std::string> decisions;
    for (const Kind& kind : kinds_) {
      std::string& decision = decisions.emplace_back();
      const Rule* rule = RuleAt(kind, tokens);
      if (rule == nullptr) continue;  // reported by the pass that needs one
      absl::StatusOr<TargetChoice> choice = ChooseTarget({rule, {}}, *kind.node, symbols, catalog_,
                                                         InParts::kIfNotWhole, Fallback::kAllowed);
      decision = rule->name;
      if (!choice.ok()) continue;
      StrAppend(&decision, " ", Name(choice->target));
      if (choice->kernel) StrAppend(&decision, " ", choice->kernel->name);
      for (const std::string& kernel : choice->part_kernels) StrAppend(&decision, " +", kernel);
    }
    return decisions;
  }

  const Rule* RuleAt(const Kind& kind, int64_t tokens) const {
    for (const Rule* rule : kind.rules) {
      auto holds = [&](const Comparison& comparison) {
        return comparison.HoldsAt(symbols_, tokens);
      };
      if (std::ranges::all_of(ComparisonsOf(*rule, kind.facts), holds)) return rule;
    }
    return nullptr;
  }

  absl::StatusOr<std::vector<std::string>> Prove(Range tokens) const {
    std::vector<std::string> decisions = DecisionsAt(tokens.min);
    if (tokens.min == tokens.max) return decisions;
    std::vector<std::string> last = DecisionsAt(tokens.max);
    for (size_t i = 0; i < decisions.size(); ++i) {
      if (decisions[i] == last[i]) continue;
      return absl::InternalError(StrCat("node ", DescribeNode(*kinds_[i].node), " is placed by '",
                                        decisions[i], "' at T = ", tokens.min, " and by '", last[i],
                                        "' at T = ", tokens.max,
                                        ", but no predicate and no kernel says where it changes"));
    }
    return decisions;
  }

  absl::Status TooMany(const std::vector<Range>& intervals) const {
    std::map<std::string, int> responsible;
    for (const Range& interval : intervals) {
      auto cut = cuts_.find(interval.min);
      if (cut == cuts_.end()) continue;
      for (const std::string& by : cut->second) ++responsible[by];
    }
    std::string names;
    for (const auto& [by, cuts] : responsible) {
      StrAppend(&names, names.empty() ? "" : ", ", by, " (", cuts, cuts == 1 ? " cut)" : " cuts)");
    }
    return absl::InvalidArgumentError(
        StrCat("policy ", policy_.name, " cuts T = ", symbols_[Symbol::kT].min, "..",
               symbols_[Symbol::kT].max, " into ", intervals.size(), " regimes, more than ",
               kMaxRegimes, "; use fewer thresholds: ", names));
  }

  const Policy& policy_;
  const KernelCatalog& catalog_;
  const SymbolRanges symbols_;
  std::set<std::string> texts_;  // texts of the kinds seen
  std::vector<Kind> kinds_;      // those that are placed
  std::list<NodeCopy> copies_;   // owns the parts; a list, so that addresses stay valid
  std::map<int64_t, std::set<std::string>> cuts_;  // where an interval may begin, and why
};

}  // namespace

absl::StatusOr<std::vector<Range>> CutRegimes(const Graph& graph, const Policy& policy,
                                              const KernelCatalog& catalog) {
  RegimeCutter cutter(graph, policy, catalog);
  for (const Node* node : graph.nodes()) RETURN_IF_ERROR(cutter.Add(*node));
  RETURN_IF_ERROR(CheckRegexSteps(policy));
  return cutter.Intervals();
}

}  // namespace infer
