// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/builder.h"

#include <algorithm>
#include <utility>

#include "ir/base/strings.h"

namespace infer {

GraphBuilder GraphBuilder::Before(Graph* graph, Node* node) {
  GraphBuilder builder(graph);
  builder.before_ = node;
  return builder;
}

void GraphBuilder::Fail(absl::Status error) {
  if (status_.ok()) status_ = std::move(error);
}

GraphBuilder& GraphBuilder::In(std::string scope, bool named) {
  scope_ = std::move(scope);
  named_ = named;
  return *this;
}

Node* GraphBuilder::Emit(const OpDef& op, std::vector<Value> inputs, std::vector<Attr> attrs,
                         std::vector<ValueType> declared) {
  if (!status_.ok()) return nullptr;
  std::vector<ValueType> types;
  for (Value input : inputs) {
    if (!input) {
      Fail(absl::InternalError(StrCat(op.name, " in ", scope_, ": an input is missing")));
      return nullptr;
    }
    types.push_back(input.type());
  }
  absl::StatusOr<Types> results = CheckAndInfer({op, types, attrs, declared});
  if (!results.ok()) {
    Fail(absl::Status(results.status().code(),
                      scope_.empty() ? std::string(results.status().message())
                                     : StrCat(scope_, ": ", ToStd(results.status().message()))));
    return nullptr;
  }
  Node* node =
      graph_->Insert(before_, op, std::move(inputs), std::move(attrs), *std::move(results));
  emitted_.push_back(node);
  node->set_scope(scope_);
  if (named_ && !scope_.empty()) {
    std::string name = scope_;
    std::replace(name.begin(), name.end(), '/', '.');
    node->result().name = std::move(name);
    node->result().origin = scope_;
  }
  return node;
}

Value GraphBuilder::EmitValue(const OpDef& op, std::vector<Value> inputs, std::vector<Attr> attrs,
                              std::vector<ValueType> declared) {
  Node* node = Emit(op, std::move(inputs), std::move(attrs), std::move(declared));
  return node == nullptr ? Value{} : node->output();
}

}  // namespace infer
