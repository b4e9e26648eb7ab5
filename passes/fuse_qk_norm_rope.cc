// SPDX-License-Identifier: Apache-2.0
//
// Joins the ops that prepare the queries and keys of an attention into one node:
//
//   %qh = reshape(%q)
//   %qn = rms_norm(%qh, %wq)
//   %qr = rope(%qn, %batch)
//   %kh = reshape(%k)            =>   %qr, %kr = qk_norm_rope(%q, %k, %wq, %wk, %batch)
//   %kn = rms_norm(%kh, %wk)
//   %kr = rope(%kn, %batch)
//
// The attention determines which two such chains are its queries and keys. The fused node takes the
// place of the later rope. The values between reshape and rope disappear, so nothing else may read
// them.
#include <algorithm>
#include <utility>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace infer {
namespace {

struct Chain {
  Node* heads = nullptr;
  Node* norm = nullptr;
  Node* rope = nullptr;
};

// Returns the chain that ends in `value`, or one with a null rope.
Chain FindChain(Value value) {
  if (!value.node->Is(ops::kRope)) return {};
  Node* norm = value.node->input(0).node;
  if (!norm->Is(ops::kRmsNorm)) return {};
  Node* heads = norm->input(0).node;
  if (!heads->Is(ops::kReshape)) return {};
  return {heads, norm, value.node};
}

std::vector<Value> QkNormRopeInputs(const Chain& q, const Chain& k) {
  return {q.heads->input(0), k.heads->input(0), q.norm->input(1), k.norm->input(1),
          q.rope->input(1)};
}

std::vector<Attr> FusedAttrs(const Chain& q) {
  std::vector<Attr> attrs(q.norm->attrs().begin(), q.norm->attrs().end());
  attrs.insert(attrs.end(), q.rope->attrs().begin(), q.rope->attrs().end());
  return attrs;
}

// Returns the place of the fused node.
Node* LaterRope(const Chain& q, const Chain& k, const ProgramOrder& order) {
  return order.IsBefore(q.rope, k.rope) ? k.rope : q.rope;
}

Decision CanFuseQkNormRope(const Graph& graph, const Chain& q, const Chain& k,
                           const ProgramOrder& order) {
  if (q.rope == nullptr) return Decision::Reject("q is not normed and rotated heads");
  if (k.rope == nullptr) return Decision::Reject("k is not normed and rotated heads");
  if (q.rope == k.rope) return Decision::Reject("q and k are one value");
  for (Node* inner : {q.heads, q.norm, k.heads, k.norm}) {
    if (!HasOneUse(graph, inner->output())) {
      return Decision::Reject("a value between reshape and rope is used elsewhere");
    }
  }
  if (q.rope->input(1) != k.rope->input(1)) return Decision::Reject("the batches differ");
  if (!std::ranges::equal(q.norm->attrs(), k.norm->attrs())) {
    return Decision::Reject("the norms differ in eps");
  }
  if (!std::ranges::equal(q.rope->attrs(), k.rope->attrs())) {
    return Decision::Reject("the rotations differ");
  }
  Node* place = LaterRope(q, k, order);
  if (order.IsReadBefore(graph, (place == q.rope ? k : q).rope->output(), place)) {
    return Decision::Reject("one is read before the other is computed");
  }
  return Fits(ops::kQkNormRope, QkNormRopeInputs(q, k), FusedAttrs(q));
}

absl::Status FuseChains(Graph& graph, const Chain& q, const Chain& k, ProgramOrder* order) {
  Node* place = LaterRope(q, k, *order);
  GraphBuilder builder = GraphBuilder::Before(&graph, place);
  Node* fused = builder.Emit(ops::kQkNormRope, QkNormRopeInputs(q, k), FusedAttrs(q));
  RETURN_IF_ERROR(builder.status());
  order->PlaceAt(fused, place);
  std::vector<Node*> members = {q.heads, q.norm, q.rope, k.heads, k.norm, k.rope};
  std::ranges::sort(members, [&](Node* a, Node* b) { return order->IsBefore(a, b); });
  AdoptScopes(fused, members);
  ReplaceValue(graph, q.rope->output(), fused->output(0));
  ReplaceValue(graph, k.rope->output(), fused->output(1));
  for (const Chain& chain : {q, k}) {
    for (Node* node : {chain.rope, chain.norm, chain.heads}) graph.Erase(node);
  }
  return absl::OkStatus();
}

class FuseQkNormRope final : public Pass {
 public:
  std::string_view name() const override { return "fuse-qk-norm-rope"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    bool changed = false;
    ProgramOrder order(graph);
    for (Node* attention : graph.NodesOf(ops::kAttention)) {
      Node* write = attention->input(1).node;
      if (!write->Is(ops::kKvWrite)) continue;
      Chain q = FindChain(attention->input(0));
      Chain k = FindChain(write->input(1));
      if (Decision fuse = CanFuseQkNormRope(graph, q, k, order); !fuse.accepted()) {
        context.Explain(*attention, fuse.reason());
        continue;
      }
      RETURN_IF_ERROR(FuseChains(graph, q, k, &order));
      changed = true;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFuseQkNormRope() { return std::make_unique<FuseQkNormRope>(); }

}  // namespace infer
