// SPDX-License-Identifier: Apache-2.0
//
// Expands a composite op where its rule's targets cannot run it whole:
//
//   %n = rms_norm(%x, %w) {eps = 1e-06}   =>   %0 = row_sum_squares(%x) ... %n = mul(%5, %w)
//
// The first target of the rule is used that runs the node, or else all of its decomposition. In the
// second case the parts are pinned to that target (source LEGALIZE) and keep the node's scope; the
// node's name and origin move to the part that computes its result. With `composites: DECOMPOSE`
// everything is expanded and each part is placed by its own rule.
#include <utility>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/verify/verifier.h"
#include "passes/choose_target.h"
#include "passes/expand.h"
#include "passes/passes.h"
#include "passes/placement_record.h"

namespace infer {
namespace {

class Legalize final : public Pass {
 public:
  std::string_view name() const override { return "legalize"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    bool changed = false;
    for (Node* node : graph.nodes()) {
      if (!node->op().composite() || node->placement()) continue;  // a pinned part stays whole
      ASSIGN_OR_RETURN(bool expanded, LegalizeNode(graph, node, context));
      changed |= expanded;
    }
    return changed;
  }

 private:
  static absl::StatusOr<bool> LegalizeNode(Graph& graph, Node* node, PassContext& context) {
    if (context.policy->composites == Policy::Composites::kDecompose) {
      return ExpandAll(graph, node, context, nullptr);
    }
    ASSIGN_OR_RETURN(TargetChoice choice,
                     ChooseTarget(*node, graph.symbols(), *context.policy, *context.catalog,
                                  InParts::kIfNotWhole, context.fallback));
    if (choice.kernel) return false;
    Placement pin = MakePlacement(choice.target, choice.by, PlacementSource::kLegalize,
                                  std::move(choice.refused));
    return ExpandAll(graph, node, context, &pin);
  }

  // Expands until no composite op is left or, with a pin, until the pin's target runs each part.
  static absl::StatusOr<bool> ExpandAll(Graph& graph, Node* node, PassContext& context,
                                        const Placement* pin) {
    std::vector<Node*> work = {node};
    while (!work.empty()) {
      Node* next = work.back();
      work.pop_back();
      ASSIGN_OR_RETURN(std::vector<Node*> parts, Expand(graph, next));
      for (Node* part : parts) {
        KernelAnswer answer;
        if (pin) answer = context.catalog->Find(*part, pin->target, graph.symbols());
        if (part->op().composite() && !answer.kernel) {
          work.push_back(part);
        } else if (pin) {
          if (!answer.kernel) {
            return absl::InternalError(
                StrCat("node ", DescribeNode(*part), ": ", Name(pin->target),
                       " accepted it in the trial but not here: ", answer.reason));
          }
          part->set_placement(CompletePlacement(*pin, *part, *answer.kernel));
        }
      }
    }
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeLegalize() { return std::make_unique<Legalize>(); }

}  // namespace infer
