// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph/graph.h"

namespace infer {

// Adds nodes to a graph with inferred types. The first error is kept and handed out by status(),
// and everything after it is skipped, so that a lowering reads like the model and not like error
// plumbing: a null Value as input makes a null Value, never a crash.
class GraphBuilder {
 public:
  explicit GraphBuilder(Graph* graph) : graph_(graph) {}  // adds at the end
  static GraphBuilder Before(Graph* graph, Node* node);

  Graph& graph() { return *graph_; }
  const absl::Status& status() const { return status_; }
  // The nodes made by this builder, in order.
  const std::vector<Node*>& emitted() const { return emitted_; }
  // Keeps `error` unless there was one before.
  void Fail(absl::Status error);

  // Nodes emitted from now on belong to `scope`. With `named`, a node's first result is also called
  // after it, in text (%layer.0.attn.q_proj) and as its origin.
  GraphBuilder& In(std::string scope, bool named = true);

  // The results' types are inferred. `declared` are the types of an op that cannot infer them.
  Node* Emit(const OpDef& op, std::vector<Value> inputs, std::vector<Attr> attrs = {},
             std::vector<ValueType> declared = {});
  // The same for an op with one result.
  Value EmitValue(const OpDef& op, std::vector<Value> inputs, std::vector<Attr> attrs = {},
                  std::vector<ValueType> declared = {});

 private:
  Graph* graph_;
  Node* before_ = nullptr;
  std::string scope_;
  bool named_ = false;
  std::vector<Node*> emitted_;
  absl::Status status_;
};

}  // namespace infer
