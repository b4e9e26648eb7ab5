// SPDX-License-Identifier: Apache-2.0
//
// Lets a projection add its rows to the residual stream itself, so that they are not written and
// read back:
//
//   %p = linear(%x, %w)
//   %y = add(%r, %p)             =>   %y = linear_add(%x, %w, %r)
//
// The operands of add may be in either order. The fused node takes the place of add, where %r is
// certainly available.
#include "ir/base/status_macros.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace infer {
namespace {

// Returns whether `add` and the linear that is its operand `product` can be joined.
Decision CanFuse(const Graph& graph, const Node& add, int product) {
  if (!HasOneUse(graph, add.input(product))) {
    return Decision::Reject("the projection is used elsewhere");
  }
  if (add.input(0).type() != add.input(1).type()) return Decision::Reject("the sum broadcasts");
  return Decision::Accept();
}

class FuseResidual final : public Pass {
 public:
  std::string_view name() const override { return "fuse-residual"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    bool changed = false;
    for (Node* add : graph.NodesOf(ops::kAdd)) {
      int product = FindOperand(graph, *add, ops::kLinear);
      if (product < 0) continue;
      if (Decision fuse = CanFuse(graph, *add, product); !fuse.accepted()) {
        context.Explain(*add, fuse.reason());
        continue;
      }
      Node* linear = add->input(product).node;
      GraphBuilder builder = GraphBuilder::Before(&graph, add);
      Value fused =
          ops::LinearAdd(builder, linear->input(0), linear->input(1), add->input(1 - product));
      RETURN_IF_ERROR(builder.status());
      AdoptScopes(fused.node, {{linear, add}});
      ReplaceValue(graph, add->output(), fused);
      graph.Erase(add);
      graph.Erase(linear);
      changed = true;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFuseResidual() { return std::make_unique<FuseResidual>(); }

}  // namespace infer
