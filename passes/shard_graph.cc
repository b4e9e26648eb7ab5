// SPDX-License-Identifier: Apache-2.0
//
// Divides the work over the policy's ranks. Every rank runs the same graph on its part of the
// weights; where a node needs all of a value that is divided, a collective collects it:
//
//   %w = weight() {name = "w"} : q8_0[64,32]
//   %y = linear(%x, %w) : f32[T,64]
//   %n = rms_norm(%y, %g) : f32[T,64]
// =>                                                                                    (2 ranks)
//   %w = weight() {name = "w", parts = 2, shard = "each column by itself"} : q8_0[32,32]
//   %0 = linear(%x, %w) : f32[T,32]
//   %y = all_gather(%0) {axis = 1, ranks = 2, reason = "rms_norm needs whole rows"} : f32[T,64]
//   %n = rms_norm(%y, %g) : f32[T,64]
//
// Attention is divided by key/value heads, and with it the cache; products by output columns.
// With mode EXACT every product sees whole rows, so that it adds in the order in which one process
// does. FAST also divides the inner dimension where a row is divided already; all_reduce then adds
// the ranks' sums.
//
// A value that was collected takes over the name and origin of the divided one, because it is what
// one process computes; values that stay divided have no origin. A weight that every rank needs
// whole says why in its attribute `shard`.
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
#include "ir/verify/verifier.h"
#include "passes/choose_shards.h"
#include "passes/passes.h"

namespace infer {
namespace {

bool IsSharded(const Graph& graph) {
  for (const Node* node : graph.nodes()) {
    if (node->op().traits.collective) return true;
    if (node->op().traits.weight && SliceOf(*node).parts != 0) return true;
  }
  return false;
}

class Divider {
 public:
  Divider(Graph& graph, int64_t ranks) : graph_(graph), ranks_(ranks) {}

  absl::Status Divide(const std::vector<ShardChoice>& choices) {
    const std::vector<Node*> nodes = graph_.nodes();
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (IsExecuted(*nodes[i])) RETURN_IF_ERROR(DivideNode(nodes[i], choices[i]));
    }
    for (size_t i = 0; i < graph_.results().size(); ++i) {
      RETURN_IF_ERROR(CollectResult(static_cast<int>(i)));
    }
    for (Node* weight : whole_weights_) {
      if (graph_.uses(weight->output()).empty()) graph_.Erase(weight);
    }
    for (auto& [value, sharding] : shardings_) {
      value.first->result(value.second).origin.clear();
    }
    return absl::OkStatus();
  }

 private:
  using Key = std::pair<Node*, int>;  // a value

  Sharding ShardingOf(Value value) const {
    auto found = shardings_.find({value.node, value.index});
    return found == shardings_.end() ? Sharding() : found->second;
  }

  absl::Status DivideNode(Node* node, const ShardChoice& choice) {
    for (int i = 0; i < static_cast<int>(node->inputs().size()); ++i) {
      const Sharding wanted = choice.strategy ? choice.strategy->inputs[i] : Sharding();
      ASSIGN_OR_RETURN(Value input, InputFor(node, i, wanted, choice));
      graph_.SetInput(node, i, input);
    }
    if (!choice.strategy) return absl::OkStatus();
    if (choice.strategy->divide_attrs != nullptr) choice.strategy->divide_attrs(node, ranks_);
    const std::vector<ValueType> inputs = node->InputTypes();
    absl::StatusOr<Types> types = CheckAndInfer({node->op(), inputs, node->attrs(), {}});
    if (!types.ok()) {
      return absl::InternalError(StrCat("node ", DescribeNode(*node),
                                        " cannot be divided: ", ToStd(types.status().message())));
    }
    for (int i = 0; i < node->num_results(); ++i) {
      node->result(i).type = (*types)[i];
      if (!choice.strategy->results[i].is_replicated()) {
        shardings_[{node, i}] = choice.strategy->results[i];
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Value> InputFor(Node* node, int i, Sharding wanted, const ShardChoice& choice) {
    Value input = node->input(i);
    const OpTraits& traits = input.node->op().traits;
    if (traits.weight) return WeightFor(node, input.node, wanted, choice);
    if (traits.state) {
      // A state is read and written through one chain of nodes, which are all divided or all not.
      if (!wanted.is_replicated() && states_.insert(input.node).second) {
        Shape& shape = input.node->result().type.tensor.shape;
        shape.set_dim(wanted.axis, shape.dim(wanted.axis).value() / ranks_);
      }
      return input;
    }
    if (ShardingOf(input) == wanted) return input;
    return Collected(input, node,
                     choice.strategy
                         ? StrCat(node->op().name, " needs whole rows, so that ",
                                  choice.strategy->is_exact ? "it adds in the order of one process"
                                                            : "each rank has what its part needs")
                         : StrCat("every rank computes ", node->op().name, ": ", choice.reason));
  }

  absl::StatusOr<Value> WeightFor(Node* reader, Node* weight, Sharding wanted,
                                  const ShardChoice& choice) {
    // 0 stands for the whole weight; it is kept apart so that it can say why.
    const int part = wanted.is_replicated() ? 0 : wanted.axis + 1;
    auto [at, is_new] = weights_.try_emplace({weight, part});
    if (!is_new) return at->second;
    if (part == 0) {
      at->second = weight->output();
      return at->second;
    }
    whole_weights_.insert(weight);
    GraphBuilder builder = GraphBuilder::Before(&graph_, reader);
    at->second = ops::WeightPart(builder, *weight, wanted.axis, ranks_, choice.reason);
    RETURN_IF_ERROR(builder.status());
    return at->second;
  }

  // Returns the whole of a divided value, collected before `before` unless that was done already.
  absl::StatusOr<Value> Collected(Value value, Node* before, std::string reason) {
    auto [at, is_new] = collected_.try_emplace({value.node, value.index});
    if (!is_new) return at->second;
    const Sharding sharding = ShardingOf(value);
    if (!value.type().is_tensor()) {
      return absl::UnimplementedError(
          StrCat("node ", DescribeNode(*value.node),
                 ": its state is divided, but a reader needs all of it"));
    }
    GraphBuilder builder =
        before == nullptr ? GraphBuilder(&graph_) : GraphBuilder::Before(&graph_, before);
    builder.In(value.node->scope(), /*named=*/false);
    at->second = sharding.kind == Sharding::Kind::kSplit
                     ? ops::AllGather(builder, value, sharding.axis, ranks_, std::move(reason))
                     : ops::AllReduce(builder, value, ranks_, std::move(reason));
    RETURN_IF_ERROR(builder.status());
    NodeResult& part = value.node->result(value.index);
    NodeResult& whole = at->second.node->result();
    whole.name = std::exchange(part.name, {});
    whole.origin = std::exchange(part.origin, {});
    return at->second;
  }

  absl::Status CollectResult(int i) {
    const Value value = graph_.results()[i];
    if (ShardingOf(value).is_replicated()) return absl::OkStatus();
    ASSIGN_OR_RETURN(Value whole, Collected(value, nullptr, "it is a result of the graph"));
    graph_.SetResult(i, whole);
    return absl::OkStatus();
  }

  Graph& graph_;
  const int64_t ranks_;
  std::map<Key, Sharding> shardings_;  // of values that are not replicated
  std::map<Key, Value> collected_;
  std::map<Key, Value> weights_;   // by the whole weight and the axis plus one
  std::set<Node*> whole_weights_;  // of which parts are read; a tied one along two axes
  std::set<Node*> states_;
};

// Weights that stay whole say why, if the node that reads them could have been divided.
void RecordWhole(const std::vector<Node*>& nodes, const std::vector<ShardChoice>& choices) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (choices[i].strategy || nodes[i]->op().shard == nullptr) continue;
    for (Value input : nodes[i]->inputs()) {
      if (!input.node->op().traits.weight || input.type().rank() < 2) continue;
      ops::SetShardReason(input.node, choices[i].reason);
    }
  }
}

class ShardGraph final : public Pass {
 public:
  std::string_view name() const override { return "shard-graph"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    if (context.policy == nullptr || context.policy->shard.ranks < 2 || IsSharded(graph)) {
      return false;
    }
    ASSIGN_OR_RETURN(const std::vector<ShardChoice> choices,
                     ChooseShards(graph, context.policy->shard));
    const std::vector<Node*> nodes = graph.nodes();
    bool divides = false;
    for (size_t i = 0; i < nodes.size(); ++i) {
      divides |= choices[i].strategy.has_value();
      if (!choices[i].strategy && IsExecuted(*nodes[i]))
        context.Explain(*nodes[i], choices[i].reason);
    }
    if (!divides) return false;
    RecordWhole(nodes, choices);
    RETURN_IF_ERROR(Divider(graph, context.policy->shard.ranks).Divide(choices));
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeShardGraph() { return std::make_unique<ShardGraph>(); }

}  // namespace infer
