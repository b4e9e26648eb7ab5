// SPDX-License-Identifier: Apache-2.0
//
// The graph: nodes in program order, values in SSA form.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/attr.h"
#include "ir/graph/op_def.h"
#include "ir/graph/shape.h"
#include "ir/graph/stage.h"
#include "ir/graph/value_type.h"

namespace infer {

class Graph;
class Node;
// Most code reads a graph without these, and they change more often than it does.
struct Placement;
struct Plan;

// A result of a node. Cheap to copy; does not own the node.
struct Value {
  Node* node = nullptr;
  int index = 0;

  const ValueType& type() const;
  explicit operator bool() const { return node != nullptr; }
  bool operator==(const Value&) const = default;
};

// Input `input` of `user`. A null user means that `input` numbers a result of the graph.
struct Use {
  Node* user = nullptr;
  int input = 0;
  bool operator==(const Use&) const = default;
};

struct NodeResult {
  ValueType type;
  std::string name;    // shown in text as %name; the printer makes one up if it is empty
  std::string origin;  // the frontend's name for this result; empty once a fusion has absorbed it
};

// One operation. Owned by its graph; inputs are changed through the graph, which maintains the
// uses.
class Node {
 public:
  ~Node();
  const OpDef& op() const { return *op_; }
  bool Is(const OpDef& op) const { return op_ == &op; }

  std::span<const Value> inputs() const { return inputs_; }
  Value input(int i) const { return inputs_[i]; }
  std::span<const Attr> attrs() const { return attrs_; }
  template <class T>
  const T& attr(int i) const {
    return std::get<T>(attrs_[i]);
  }

  void set_attr(int i, Attr attr) { attrs_[i] = std::move(attr); }

  int num_results() const { return static_cast<int>(results_.size()); }
  const NodeResult& result(int i = 0) const { return results_[i]; }
  std::span<const Use> uses(int i = 0) const { return uses_[i]; }
  NodeResult& result(int i = 0) { return results_[i]; }
  Value output(int i = 0) { return {this, i}; }

  // Where the node belongs in the model: "layer.12/attn/q_proj".
  const std::string& scope() const { return scope_; }
  void set_scope(std::string scope) { scope_ = std::move(scope); }
  // Scopes of the nodes that were fused into this one, its own not included.
  const std::vector<std::string>& merged_scopes() const { return merged_scopes_; }
  void set_merged_scopes(std::vector<std::string> scopes) { merged_scopes_ = std::move(scopes); }

  // Null before the graph is placed.
  const Placement* placement() const { return placement_.get(); }
  void set_placement(std::optional<Placement> placement);

  // Types and attributes in the form that the op's functions take.
  std::vector<ValueType> InputTypes() const;
  std::vector<ValueType> ResultTypes() const;

 private:
  friend class Graph;
  Node();

  const OpDef* op_ = nullptr;
  std::vector<Value> inputs_;
  std::vector<Attr> attrs_;
  std::vector<NodeResult> results_;
  std::vector<std::vector<Use>> uses_;  // of each result
  std::string scope_;
  std::vector<std::string> merged_scopes_;
  std::unique_ptr<const Placement> placement_;
  std::list<std::unique_ptr<Node>>::iterator position_;
};

inline const ValueType& Value::type() const { return node->result(index).type; }

namespace ops {
extern const OpDef kInput;  // an input of the graph, which the graph itself adds
}

// Returns whether the executor has a step for the node: true for all but inputs, weights and
// states.
bool IsExecuted(const Node& node);

// Returns the cost of a node as its op computes it.
Cost CostOf(const Node& node);

// Returns the type whose first dimension counts a node's rows: that of its first result that is a
// tensor with rows (a cache does not count), or nullptr.
const ValueType* RowsType(const Node& node);

// Holds nodes in an order in which they can be executed. Inputs of the graph are nodes of the op
// `input` and come first. Movable but not copyable; Clone() makes a deep copy explicit.
class Graph {
 public:
  explicit Graph(std::string name = "graph");
  ~Graph();
  Graph(Graph&&);
  Graph& operator=(Graph&&);
  Graph Clone() const;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  Stage stage() const { return stage_; }
  void set_stage(Stage stage) { stage_ = stage; }
  const SymbolRanges& symbols() const { return symbols_; }
  void set_symbols(const SymbolRanges& symbols) { symbols_ = symbols; }
  // Null before stage kScheduled.
  const Plan* plan() const { return plan_.get(); }
  void set_plan(std::optional<Plan> plan);

  // In program order; a snapshot, so that nodes may be added and erased while iterating.
  std::vector<Node*> nodes() const;
  std::vector<Node*> NodesOf(const OpDef& op) const;
  size_t num_nodes() const { return nodes_.size(); }
  // The graph's inputs, in order.
  std::vector<Node*> inputs() const;
  std::span<const Value> results() const { return results_; }

  // Adds a node before `before`, or at the end if that is null. Types are taken as given;
  // GraphBuilder infers them.
  Node* Insert(Node* before, const OpDef& op, std::vector<Value> inputs, std::vector<Attr> attrs,
               std::vector<ValueType> result_types);
  Node* AddInput(std::string name, ValueType type);
  void AddResult(Value value);

  std::span<const Use> uses(Value value) const;
  bool IsResult(Value value) const;  // whether it is a result of the graph
  void SetInput(Node* node, int input, Value value);
  void SetResult(int result, Value value);
  void ReplaceAllUses(Value from, Value to);
  void Erase(Node* node);  // the node must have no uses
  // Changes only the place of `node` in program order.
  void MoveBefore(Node* node, Node* before);

 private:
  void AddUse(Value value, Use use);
  void RemoveUse(Value value, Use use);

  std::string name_;
  Stage stage_ = Stage::kImported;
  SymbolRanges symbols_;
  std::list<std::unique_ptr<Node>> nodes_;
  std::vector<Value> results_;
  std::unique_ptr<const Plan> plan_;
};

// Returns hash(scope, op, ordinal among the nodes with that scope and op) for each node, in program
// order. A node has the same id in every policy's graph, so that graphs, profiles, traces and diffs
// can be joined.
std::vector<uint64_t> NodeIds(const Graph& graph);

}  // namespace infer
