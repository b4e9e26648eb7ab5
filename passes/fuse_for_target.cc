// SPDX-License-Identifier: Apache-2.0
//
// Joins neighbours into a composite op where one target would run all of them and has a kernel for
// the composite. On a GPU each step saved is a launch saved; CPUs have no such kernels, so their
// graphs stay as they are.
//
//   %y = linear(%a, %w)
//   %s, %n = add_rms_norm(%x, %y, %g)       =>   %s = linear_add(%a, %w, %x)
//                                                %n = rms_norm(%s, %g)
//
//   %n = rms_norm(%x, %g)
//   %p, %q = multi_linear(%n, %v, %w)       =>   %r = norm_swiglu(%x, %g, %v, %w)
//   %r = swiglu(%p, %q)
//
//   %n = rms_norm(%x, %g)
//   %p, %q = multi_linear(%n, %v, %w)       =>   %p, %q = norm_linear(%x, %g, %v, %w)
//
//   %kv1, %q = attention_inputs(%kv0, ...)  =>   %kv1, %o = self_attention(%kv0, ...)
//   %o = attention(%q, %kv1, %batch)
#include <optional>
#include <utility>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
#include "passes/choose_target.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace infer {
namespace {

using Members = std::vector<Node*>;

class Fuser {
 public:
  Fuser(Graph& graph, PassContext& context) : graph_(graph), context_(context) {}

  absl::StatusOr<bool> Run() {
    for (Node* node : graph_.NodesOf(ops::kAddRmsNorm)) RETURN_IF_ERROR(FuseResidual(node));
    for (Node* node : graph_.NodesOf(ops::kSwiglu)) RETURN_IF_ERROR(FuseSwiglu(node));
    for (const OpDef* op : {&ops::kLinear, &ops::kMultiLinear}) {
      for (Node* node : graph_.NodesOf(*op)) RETURN_IF_ERROR(FuseNorm(node));
    }
    for (Node* node : graph_.NodesOf(ops::kAttention)) RETURN_IF_ERROR(FuseAttention(node));
    return changed_;
  }

 private:
  std::optional<Target> TargetOf(const Node& node, InParts in_parts) const {
    absl::StatusOr<TargetChoice> choice = ChooseTarget(
        node, graph_.symbols(), *context_.policy, *context_.catalog, in_parts, context_.fallback);
    if (!choice.ok()) return std::nullopt;
    return choice->target;
  }

  // Emits the composite before `place` if it runs where all members would; null otherwise.
  absl::StatusOr<Node*> Emit(const OpDef& op, Node* place, std::vector<Value> inputs,
                             std::vector<Attr> attrs, const Members& members) {
    if (!Fits(op, inputs, attrs).accepted()) return nullptr;
    GraphBuilder builder = GraphBuilder::Before(&graph_, place);
    Node* fused = builder.Emit(op, std::move(inputs), std::move(attrs));
    RETURN_IF_ERROR(builder.status());
    AdoptScopes(fused, members);
    const std::optional<Target> target = TargetOf(*fused, InParts::kNever);
    for (size_t i = 0; target && i < members.size(); ++i) {
      if (TargetOf(*members[i], InParts::kIfNotWhole) == target) continue;
      context_.Explain(*members[i], "its neighbours run on another target");
      graph_.Erase(fused);
      return nullptr;
    }
    if (target) return fused;
    graph_.Erase(fused);
    return nullptr;
  }

  absl::Status FuseResidual(Node* add) {
    const int product = FindOperand(graph_, *add, ops::kLinear);
    if (product < 0 || !HasOneUse(graph_, add->input(product))) return absl::OkStatus();
    Node* linear = add->input(product).node;
    ASSIGN_OR_RETURN(
        Node * fused,
        Emit(ops::kLinearAdd, add, {linear->input(0), linear->input(1), add->input(1 - product)},
             {}, {linear, add}));
    if (fused == nullptr) return absl::OkStatus();
    GraphBuilder builder = GraphBuilder::Before(&graph_, add);
    Value normed =
        ops::RmsNorm(builder, fused->output(), add->input(2), ops::RmsNormEps(add->attrs()));
    RETURN_IF_ERROR(builder.status());
    AdoptScopes(normed.node, {{add}});
    ReplaceValue(graph_, add->output(1), normed);
    ReplaceValue(graph_, add->output(0), fused->output());
    Finish({add, linear});
    return absl::OkStatus();
  }

  absl::Status FuseSwiglu(Node* swiglu) {
    Node* products = swiglu->input(0).node;
    if (!products->Is(ops::kMultiLinear) || products->num_results() != 2) return absl::OkStatus();
    for (int i : {0, 1}) {
      if (swiglu->input(i) != products->output(i)) return absl::OkStatus();
      if (!HasOneUse(graph_, products->output(i))) return absl::OkStatus();
    }
    Node* norm = NormOf(*products);
    if (norm == nullptr) return absl::OkStatus();
    ASSIGN_OR_RETURN(Node * fused,
                     Emit(ops::kNormSwiglu, swiglu,
                          {norm->input(0), norm->input(1), products->input(1), products->input(2)},
                          AttrsOf(*norm), {norm, products, swiglu}));
    if (fused == nullptr) return absl::OkStatus();
    ReplaceValue(graph_, swiglu->output(), fused->output());
    Finish({swiglu, products, norm});
    return absl::OkStatus();
  }

  absl::Status FuseNorm(Node* products) {
    Node* norm = NormOf(*products);
    if (norm == nullptr) return absl::OkStatus();
    std::vector<Value> inputs = {norm->input(0), norm->input(1)};
    for (Value weight : products->inputs().subspan(1)) inputs.push_back(weight);
    ASSIGN_OR_RETURN(Node * fused, Emit(ops::kNormLinear, products, std::move(inputs),
                                        AttrsOf(*norm), {norm, products}));
    if (fused == nullptr) return absl::OkStatus();
    for (int i = 0; i < products->num_results(); ++i) {
      ReplaceValue(graph_, products->output(i), fused->output(i));
    }
    Finish({products, norm});
    return absl::OkStatus();
  }

  // The fused node takes the place of attention_inputs, so that the order of the cache's versions
  // stays.
  absl::Status FuseAttention(Node* attention) {
    Node* inputs = attention->input(0).node;
    if (!inputs->Is(ops::kAttentionInputs)) return absl::OkStatus();
    if (attention->input(0) != inputs->output(1) || attention->input(1) != inputs->output(0) ||
        attention->input(2) != inputs->input(6) || !HasOneUse(graph_, inputs->output(1))) {
      return absl::OkStatus();
    }
    std::vector<Attr> attrs = AttrsOf(*attention);
    for (const Attr& attr : inputs->attrs()) attrs.push_back(attr);
    ASSIGN_OR_RETURN(Node * fused, Emit(ops::kSelfAttention, inputs,
                                        {inputs->inputs().begin(), inputs->inputs().end()},
                                        std::move(attrs), {inputs, attention}));
    if (fused == nullptr) return absl::OkStatus();
    ReplaceValue(graph_, attention->output(), fused->output(1));
    ReplaceValue(graph_, inputs->output(0), fused->output(0));
    Finish({attention, inputs});
    return absl::OkStatus();
  }

  // The norm that only these products read; null if there is none.
  Node* NormOf(const Node& products) const {
    Node* norm = products.input(0).node;
    return norm->Is(ops::kRmsNorm) && HasOneUse(graph_, norm->output()) ? norm : nullptr;
  }

  static std::vector<Attr> AttrsOf(const Node& node) {
    return {node.attrs().begin(), node.attrs().end()};
  }

  void Finish(const Members& replaced) {
    for (Node* node : replaced) graph_.Erase(node);
    changed_ = true;
  }

  Graph& graph_;
  PassContext& context_;
  bool changed_ = false;
};

class FuseForTarget final : public Pass {
 public:
  std::string_view name() const override { return "fuse-for-target"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    if (context.policy->composites == Policy::Composites::kDecompose) return false;
    return Fuser(graph, context).Run();
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFuseForTarget() { return std::make_unique<FuseForTarget>(); }

}  // namespace infer
