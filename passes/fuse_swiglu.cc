// SPDX-License-Identifier: Apache-2.0
//
// Joins the gate of a feed-forward block with the product it feeds, so that the gate is not written
// and read back in between:
//
//   %s = silu(%gate)
//   %y = mul(%s, %up)            =>   %y = swiglu(%gate, %up)
//
// The operands of mul may be in either order.
#include "ir/base/status_macros.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace infer {
namespace {

// Returns whether `mul` and the silu that is its operand `gate` can be joined.
Decision CanFuseSwiglu(const Graph& graph, const Node& mul, int gate) {
  if (!HasOneUse(graph, mul.input(gate))) return Decision::Reject("the silu is used elsewhere");
  if (mul.input(0).type() != mul.input(1).type()) return Decision::Reject("the product broadcasts");
  return Decision::Accept();
}

class FuseSwiglu final : public Pass {
 public:
  std::string_view name() const override { return "fuse-swiglu"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    bool changed = false;
    for (Node* mul : graph.NodesOf(ops::kMul)) {
      int gate = FindOperand(graph, *mul, ops::kSilu);
      if (gate < 0) continue;
      if (Decision fuse = CanFuseSwiglu(graph, *mul, gate); !fuse.accepted()) {
        context.Explain(*mul, fuse.reason());
        continue;
      }
      Node* silu = mul->input(gate).node;
      GraphBuilder builder = GraphBuilder::Before(&graph, mul);
      Value fused = ops::Swiglu(builder, silu->input(0), mul->input(1 - gate));
      RETURN_IF_ERROR(builder.status());
      AdoptScopes(fused.node, {{silu, mul}});
      ReplaceValue(graph, mul->output(), fused);
      graph.Erase(mul);
      graph.Erase(silu);
      changed = true;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFuseSwiglu() { return std::make_unique<FuseSwiglu>(); }

}  // namespace infer
