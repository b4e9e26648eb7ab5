// SPDX-License-Identifier: Apache-2.0
//
// Joins the gate and up projections of experts with the swiglu they feed, so that rows are sorted,
// gathered and rounded once for both, and neither product is written and read back:
//
//   %g = expert_linear(%x, %gate, %ids)
//   %u = expert_linear(%x, %up, %ids)
//   %y = swiglu(%g, %u)                   =>   %y = expert_swiglu(%x, %gate, %up, %ids)
#include "ir/base/status_macros.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace infer {
namespace {

// Returns whether a swiglu of two projections can be joined with them.
Decision CanFuseExpertSwiglu(const Graph& graph, const Node& swiglu) {
  const Node& gate = *swiglu.input(0).node;
  const Node& up = *swiglu.input(1).node;
  if (&gate == &up) return Decision::Reject("gate and up are one projection");
  if (gate.input(0) != up.input(0)) return Decision::Reject("gate and up project other values");
  if (gate.input(2) != up.input(2)) return Decision::Reject("gate and up use other experts");
  if (gate.input(1).type().tensor.shape != up.input(1).type().tensor.shape) {
    return Decision::Reject("gate and up have other numbers of experts");
  }
  if (!HasOneUse(graph, swiglu.input(0)) || !HasOneUse(graph, swiglu.input(1))) {
    return Decision::Reject("a projection is used elsewhere");
  }
  return Decision::Accept();
}

class FuseExpertSwiglu final : public Pass {
 public:
  std::string_view name() const override { return "fuse-expert-swiglu"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    bool changed = false;
    for (Node* swiglu : graph.NodesOf(ops::kSwiglu)) {
      Node* gate = swiglu->input(0).node;
      Node* up = swiglu->input(1).node;
      if (!gate->Is(ops::kExpertLinear) || !up->Is(ops::kExpertLinear)) continue;
      if (Decision fuse = CanFuseExpertSwiglu(graph, *swiglu); !fuse.accepted()) {
        context.Explain(*swiglu, fuse.reason());
        continue;
      }
      GraphBuilder builder = GraphBuilder::Before(&graph, swiglu);
      Value fused =
          ops::ExpertSwiglu(builder, gate->input(0), gate->input(1), up->input(1), gate->input(2));
      RETURN_IF_ERROR(builder.status());
      AdoptScopes(fused.node, {{gate, up, swiglu}});
      ReplaceValue(graph, swiglu->output(), fused);
      graph.Erase(swiglu);
      graph.Erase(gate);
      graph.Erase(up);
      changed = true;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFuseExpertSwiglu() { return std::make_unique<FuseExpertSwiglu>(); }

}  // namespace infer
