// SPDX-License-Identifier: Apache-2.0
//
// Lets the step that rotates the keys store them, so that they are not written to the arena and
// read back on their way to the cache:
//
//   %qr, %kr = qk_norm_rope(%q, %k, ...)   =>   %kv1, %qr = attention_inputs(%kv0, %q, %k, %v, ...)
//   %kv1 = kv_write(%kv0, %kr, %v, %batch)
//
// The fused node takes the place of kv_write, so that the order of the cache's versions stays.
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace infer {
namespace {

std::vector<Value> AttentionInputsOf(const Node& heads, const Node& write) {
  return {write.input(0), heads.input(0), heads.input(1), write.input(2),
          heads.input(2), heads.input(3), heads.input(4)};
}

Decision CanFuseAttentionInputs(const Graph& graph, Node& heads, const Node& write,
                                const ProgramOrder& order) {
  if (write.input(1) != heads.output(1)) return Decision::Reject("it stores q");
  if (!HasOneUse(graph, heads.output(1))) return Decision::Reject("k is used elsewhere");
  if (write.input(3) != heads.input(4)) return Decision::Reject("the batches differ");
  if (order.IsReadBefore(graph, heads.output(0), &write)) {
    return Decision::Reject("q is read before the cache is written");
  }
  return Fits(ops::kAttentionInputs, AttentionInputsOf(heads, write), heads.attrs());
}

class FuseAttentionInputs final : public Pass {
 public:
  std::string_view name() const override { return "fuse-attention-inputs"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    bool changed = false;
    ProgramOrder order(graph);
    for (Node* write : graph.NodesOf(ops::kKvWrite)) {
      Node* heads = write->input(1).node;
      if (!heads->Is(ops::kQkNormRope)) continue;
      if (Decision fuse = CanFuseAttentionInputs(graph, *heads, *write, order); !fuse.accepted()) {
        context.Explain(*write, fuse.reason());
        continue;
      }
      GraphBuilder builder = GraphBuilder::Before(&graph, write);
      Node* fused = builder.Emit(ops::kAttentionInputs, AttentionInputsOf(*heads, *write),
                                 {heads->attrs().begin(), heads->attrs().end()});
      RETURN_IF_ERROR(builder.status());
      order.PlaceAt(fused, write);
      AdoptScopes(fused, {{heads, write}});
      ReplaceValue(graph, write->output(), fused->output(0));
      ReplaceValue(graph, heads->output(0), fused->output(1));
      graph.Erase(write);
      graph.Erase(heads);
      changed = true;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFuseAttentionInputs() { return std::make_unique<FuseAttentionInputs>(); }

}  // namespace infer
