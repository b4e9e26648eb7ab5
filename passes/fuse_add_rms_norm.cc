// SPDX-License-Identifier: Apache-2.0
//
// Joins an add with the norm that reads its sum, so that the norm does not read the sum back:
//
//   %s = add(%x, %y)
//   %n = rms_norm(%s, %w)        =>   %s, %n = add_rms_norm(%x, %y, %w)
//
// Other readers of %s keep it: it is the first result. The fused node takes the place of add; a
// weight that is declared later moves before it.
#include "ir/base/status_macros.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace infer {
namespace {

Decision CanFuseAddRmsNorm(const Node& add, const Node& norm) {
  if (add.input(0).type() != add.input(1).type()) return Decision::Reject("the sum broadcasts");
  // A computed weight might be computed between add and norm.
  if (!norm.input(1).node->op().traits.weight) return Decision::Reject("its weight is computed");
  return Decision::Accept();
}

class FuseAddRmsNorm final : public Pass {
 public:
  std::string_view name() const override { return "fuse-add-rms-norm"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    bool changed = false;
    ProgramOrder order(graph);
    for (Node* norm : graph.NodesOf(ops::kRmsNorm)) {
      Node* add = norm->input(0).node;
      if (!add->Is(ops::kAdd)) continue;
      if (Decision fuse = CanFuseAddRmsNorm(*add, *norm); !fuse.accepted()) {
        context.Explain(*norm, fuse.reason());
        continue;
      }
      RETURN_IF_ERROR(Fuse(graph, add, norm, &order));
      changed = true;
    }
    return changed;
  }

 private:
  static absl::Status Fuse(Graph& graph, Node* add, Node* norm, ProgramOrder* order) {
    Node* weight = norm->input(1).node;
    if (order->IsBefore(add, weight)) {
      graph.MoveBefore(weight, add);
      order->PlaceAt(weight, add);
    }
    GraphBuilder builder = GraphBuilder::Before(&graph, add);
    auto [sum, normed] = ops::AddRmsNorm(builder, add->input(0), add->input(1), norm->input(1),
                                         ops::RmsNormEps(norm->attrs()));
    RETURN_IF_ERROR(builder.status());
    AdoptScopes(sum.node, {{add, norm}});
    ReplaceValue(graph, norm->output(), normed);
    ReplaceValue(graph, add->output(), sum);
    graph.Erase(norm);
    graph.Erase(add);
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFuseAddRmsNorm() { return std::make_unique<FuseAddRmsNorm>(); }

}  // namespace infer
