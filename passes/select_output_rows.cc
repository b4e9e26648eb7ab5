// SPDX-License-Identifier: Apache-2.0
//
// Moves select_rows up, so that only the rows whose logits are requested are computed:
//
//   %s = add(%x, %o)                 : f32[T,8]      %0 = select_rows(%x, %batch) : f32[R,8]
//   %r = select_rows(%s, %batch)     : f32[R,8]  =>  %1 = select_rows(%o, %batch) : f32[R,8]
//                                                    %s = add(%0, %1)             : f32[R,8]
//
// An op lets it pass if each row of its results depends only on the same row of its inputs. Inputs
// with a row per token get a select_rows, one for each value; weights and vectors stay as they are.
// All readers of the op's results must be such select_rows: a residual stream that another node
// needs whole stops it, and so does a result of the graph.
//
// Nodes are visited once, backwards, so it moves as far as possible: in a decoder the last layer's
// output projection, norm and feed-forward then run on R rows, and two select_rows remain, one of
// attention's result and one of the residual before it.
//
// The moved op keeps its name and scope. Its result is now what select_rows gave, so it has the
// origin of select_rows; the value with all rows no longer exists.
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/base/decision.h"
#include "ir/base/status_macros.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
#include "passes/passes.h"

namespace infer {
namespace {

bool HasTokenRows(const ValueType& type) {
  return type.is_tensor() && type.rank() > 0 && type.dim(0) == Dim(Symbol::kT);
}

ValueType WithOutputRows(ValueType type) {
  if (HasTokenRows(type)) type.tensor.shape.set_dim(0, Symbol::kR);
  return type;
}

// Returns the nodes that read results of `node`, if all are select_rows of one batch.
std::vector<Node*> Selections(const Graph& graph, Node& node) {
  std::vector<Node*> selections;
  for (int i = 0; i < node.num_results(); ++i) {
    for (const Use& use : graph.uses(node.output(i))) {
      if (use.user == nullptr || !use.user->Is(ops::kSelectRows)) return {};
      if (!selections.empty() && use.user->input(1) != selections[0]->input(1)) return {};
      selections.push_back(use.user);
    }
  }
  return selections;
}

// Returns whether the op computes the requested rows from the requested rows of its inputs.
Decision CanMoveAbove(const Node& node) {
  const OpTraits& traits = node.op().traits;
  if (!traits.rowwise && !traits.view) return Decision::Reject("rows depend on other rows");
  Types inputs;
  bool has_token_rows = false;
  for (const ValueType& type : node.InputTypes()) {
    if (!type.is_tensor()) return Decision::Reject("reads the batch or a cache, row by row");
    const bool selectable = type.is_tensor(DType::kF32) || type.is_tensor(DType::kI32);
    if (HasTokenRows(type) && (!selectable || type.rank() < 2)) {
      return Decision::Reject("select_rows does not take " + ToString(type));
    }
    has_token_rows |= HasTokenRows(type);
    inputs.push_back(WithOutputRows(type));
  }
  if (!has_token_rows) return Decision::Reject("no input has a row per token");
  // A view may have changed the rows, or an op may require T rows: its own inference decides.
  Types declared;
  absl::StatusOr<Types> results = CheckAndInfer({node.op(), inputs, node.attrs(), declared});
  if (!results.ok()) return Decision::Reject(std::string(results.status().message()));
  for (int i = 0; i < node.num_results(); ++i) {
    const ValueType& type = node.result(i).type;
    if (HasTokenRows(type) && (*results)[i] == WithOutputRows(type)) continue;
    return Decision::Reject("its results do not keep a row per token");
  }
  return Decision::Accept();
}

class Mover {
 public:
  Mover(Graph& graph, const PassContext& context)
      : graph_(graph), context_(context), nodes_(graph.nodes()) {
    for (size_t i = 0; i < nodes_.size(); ++i) position_[nodes_[i]] = i;
  }

  absl::StatusOr<bool> Run() {
    bool changed = false;
    for (size_t i = nodes_.size(); i-- > 0;) {
      std::vector<Node*> selections = Selections(graph_, *nodes_[i]);
      if (selections.empty()) continue;
      if (Decision move = CanMoveAbove(*nodes_[i]); !move.accepted()) {
        context_.Explain(*nodes_[i], move.reason());
        continue;
      }
      RETURN_IF_ERROR(Move(nodes_[i], selections));
      changed = true;
    }
    return changed;
  }

 private:
  absl::Status Move(Node* node, const std::vector<Node*>& selections) {
    Value batch = selections[0]->input(1);
    for (int i = 0; i < static_cast<int>(node->inputs().size()); ++i) {
      if (!HasTokenRows(node->input(i).type())) continue;
      ASSIGN_OR_RETURN(Value rows, Select(node->input(i), batch, node, *selections[0]));
      graph_.SetInput(node, i, rows);
    }
    for (int i = 0; i < node->num_results(); ++i) {
      node->result(i).type = WithOutputRows(node->result(i).type);
      node->result(i).origin.clear();
    }
    for (Node* selection : selections) {
      NodeResult& result = node->result(selection->input(0).index);
      if (result.origin.empty()) result.origin = selection->result().origin;
      graph_.ReplaceAllUses(selection->output(), selection->input(0));
      graph_.Erase(selection);
    }
    return absl::OkStatus();
  }

  // Returns the requested rows of `value` where `reader` can read them. Reuses a node that already
  // selects them, moved forward if it comes after the reader.
  absl::StatusOr<Value> Select(Value value, Value batch, Node* reader, const Node& like) {
    for (const Use& use : graph_.uses(value)) {
      Node* user = use.user;
      if (user == nullptr || !user->Is(ops::kSelectRows) || user->input(1) != batch) continue;
      if (position_.at(user) > position_.at(reader)) {
        graph_.MoveBefore(user, reader);
        position_[user] = position_.at(reader);
      }
      return user->output();
    }
    GraphBuilder builder = GraphBuilder::Before(&graph_, reader);
    builder.In(like.scope(), /*named=*/false);
    Value rows = ops::SelectRows(builder, value, batch);
    RETURN_IF_ERROR(builder.status());
    position_[rows.node] = position_.at(reader);
    return rows;
  }

  Graph& graph_;
  const PassContext& context_;
  std::vector<Node*> nodes_;
  std::unordered_map<const Node*, size_t> position_;  // a node made here has its reader's position
};

class SelectOutputRows final : public Pass {
 public:
  std::string_view name() const override { return "select-output-rows"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    return Mover(graph, context).Run();
  }
};

}  // namespace

std::unique_ptr<Pass> MakeSelectOutputRows() { return std::make_unique<SelectOutputRows>(); }

}  // namespace infer
