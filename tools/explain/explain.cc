// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/explain.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/explain/select_nodes.h"
#include "tools/explain/support.h"

namespace infer {
namespace {

class Explainer {
 public:
  Explainer(const KernelCatalog& catalog, const ScopeIndex& scopes, const Explanation& to)
      : catalog_(catalog.For(to.program->policy.activations)), scopes_(scopes), to_(to) {}

  ExplainedNode Explain(const NodeGroup& group) const {
    ExplainedNode node{&group, {}};
    for (size_t r = 0; r < to_.regimes.size(); ++r) {
      const NodeView* view = to_.grouped.At(group, r);
      if (view == nullptr) continue;
      ExplainedSpan span = SpanOf(group, *view, to_.regimes[r]);
      if (!node.spans.empty() && Continues(node.spans.back(), span)) {
        Extend(&node.spans.back(), span);
      } else {
        node.spans.push_back(std::move(span));
      }
    }
    for (ExplainedSpan& span : node.spans) {
      Placement placement = span.first->placement();
      placement.terms = span.terms;
      span.because = BecauseText(*to_.program, placement);
    }
    return node;
  }

 private:
  ExplainedSpan SpanOf(const NodeGroup& group, const NodeView& view,
                       const RegimeView& regime) const {
    const Placement& placement = view.placement();
    ExplainedSpan span;
    span.tokens = regime.tokens();
    span.first = span.last = &view;
    span.terms = placement.terms;
    for (Term& term : span.terms) {
      if (term.field != "layer" || group.layers.empty()) continue;
      term.lo = static_cast<double>(group.layers.front());
      term.hi = static_cast<double>(group.layers.back());
    }
    span.decided_by = DecidedByText(*to_.program, placement);
    span.passed_over = RulesPassedOver(*to_.program, view, regime.symbols());
    for (const Rejected& rejected : placement.rejected) {
      span.others.push_back(Other(group, view, regime, rejected));
    }
    const SymbolValues lowest = regime.symbols().Lowest(), highest = regime.symbols().Highest();
    span.flops_min = placement.cost.flops.At(lowest);
    span.flops_max = placement.cost.flops.At(highest);
    span.bytes_min = placement.cost.bytes.At(lowest);
    span.bytes_max = placement.cost.bytes.At(highest);
    span.estimate_ns_min = placement.estimate_ns_min;
    span.estimate_ns_max = placement.estimate_ns_max;
    return span;
  }

  OtherTarget Other(const NodeGroup& group, const NodeView& view, const RegimeView& regime,
                    const Rejected& rejected) const {
    OtherTarget other;
    other.target = rejected.target;
    other.code = rejected.code;
    other.why = rejected.text;
    if (!CouldMove(rejected)) return other;
    SupportCell there = SupportOf(*view.node, rejected.target, regime.symbols(), catalog_);
    if (there.how <= SupportCell::How::kSomeRows) {
      other.no_kernel = absl::StrJoin(there.reasons, ", ");
      return other;
    }
    other.kernels = std::move(there.kernels);
    other.in_parts = there.how == SupportCell::How::kInParts;
    other.flag = StrCat("--place '", scopes_.PlaceRule(group, rejected.target), "'");
    other.before = MustComeBefore(view.placement());
    return other;
  }

  static bool SameTerms(const std::vector<Term>& a, const std::vector<Term>& b) {
    return std::ranges::equal(a, b, [](const Term& x, const Term& y) {
      return x.field == y.field && x.cmp == y.cmp && x.threshold == y.threshold;
    });
  }

  static bool SamePassedOver(const ExplainedSpan& a, const ExplainedSpan& b) {
    return std::ranges::equal(a.passed_over, b.passed_over,
                              [](const PassedOver& x, const PassedOver& y) {
                                return x.rule == y.rule && SameTerms(x.terms, y.terms);
                              });
  }

  static bool Continues(const ExplainedSpan& span, const ExplainedSpan& next) {
    const Placement& a = span.last->placement();
    const Placement& b = next.first->placement();
    return span.tokens.max + 1 == next.tokens.min && a.target == b.target && a.kernel == b.kernel &&
           span.decided_by == next.decided_by && span.others == next.others &&
           SameTerms(span.terms, next.terms) && SamePassedOver(span, next) &&
           span.last->node->ResultTypes() == next.first->node->ResultTypes();
  }

  static void Extend(ExplainedSpan* span, const ExplainedSpan& next) {
    span->tokens.max = next.tokens.max;
    span->last = next.last;
    for (size_t i = 0; i < span->terms.size(); ++i) span->terms[i].hi = next.terms[i].hi;
    for (size_t i = 0; i < span->passed_over.size(); ++i) {
      for (size_t j = 0; j < span->passed_over[i].terms.size(); ++j) {
        span->passed_over[i].terms[j].hi = next.passed_over[i].terms[j].hi;
      }
    }
    span->flops_max = next.flops_max;
    span->bytes_max = next.bytes_max;
    span->estimate_ns_max = next.estimate_ns_max;
  }

  const KernelCatalog& catalog_;
  const ScopeIndex& scopes_;
  const Explanation& to_;
};

}  // namespace

absl::StatusOr<Explanation> Explain(const Program& program, const KernelCatalog& catalog,
                                    std::string_view what) {
  Explanation explanation;
  explanation.program = &program;
  explanation.regimes = ViewRegimes(program);
  ASSIGN_OR_RETURN(std::set<uint64_t> ids, SelectNodes(explanation.regimes, what));
  const ScopeIndex scopes(explanation.regimes);
  // Groups only what was asked for, so that a node of one layer is not shown as all layers.
  for (RegimeView& regime : explanation.regimes) {
    std::erase_if(regime.nodes, [&](const NodeView& view) { return !ids.contains(view.id); });
  }
  explanation.grouped = GroupProgram(explanation.regimes, CompareInputs::kByType);
  Explainer explainer(catalog, scopes, explanation);
  for (const NodeGroup& group : explanation.grouped.groups) {
    explanation.nodes.push_back(explainer.Explain(group));
  }
  return explanation;
}

}  // namespace infer
