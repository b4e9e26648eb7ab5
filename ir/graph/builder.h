// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph/graph.h"

namespace infer {

// Adds nodes to a graph and infers their types. Keeps the first error, which status() returns, and
// skips everything after it, so that a lowering reads like the model instead of error handling: a
// null Value as input yields a null Value, never a crash.
class GraphBuilder {
 public:
  explicit GraphBuilder(Graph* graph) : graph_(graph) {}  // appends at the end
  static GraphBuilder Before(Graph* graph, Node* node);

  Graph& graph() { return *graph_; }
  const absl::Status& status() const { return status_; }
  // The nodes this builder has made, in order.
  const std::vector<Node*>& emitted() const { return emitted_; }
  // Keeps `error` unless an earlier one was kept.
  void Fail(absl::Status error);

  // Puts the nodes emitted from now on into `scope`. With `named`, a node's first result is also
  // named after it, in text (%layer.0.attn.q_proj) and as its origin.
  GraphBuilder& In(std::string scope, bool named = true);

  // Infers the result types. `declared` gives them for an op that cannot infer them.
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
