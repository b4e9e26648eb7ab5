// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/graph.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ir/base/hash.h"
#include "ir/graph/cost.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"

namespace infer {
namespace {

template <class T>
std::unique_ptr<const T> CopyOf(const std::unique_ptr<const T>& value) {
  return value == nullptr ? nullptr : std::make_unique<const T>(*value);
}

template <class T>
std::unique_ptr<const T> Held(std::optional<T> value) {
  return value ? std::make_unique<const T>(*std::move(value)) : nullptr;
}

}  // namespace

Node::Node() = default;
Node::~Node() = default;

void Node::set_placement(std::optional<Placement> placement) {
  placement_ = Held(std::move(placement));
}

std::vector<ValueType> Node::InputTypes() const {
  std::vector<ValueType> types;
  types.reserve(inputs_.size());
  for (Value input : inputs_) types.push_back(input.type());
  return types;
}

std::vector<ValueType> Node::ResultTypes() const {
  std::vector<ValueType> types;
  types.reserve(results_.size());
  for (const NodeResult& result : results_) types.push_back(result.type);
  return types;
}

bool IsExecuted(const Node& node) {
  return !node.Is(ops::kInput) && !node.op().traits.weight && !node.op().traits.state;
}

Cost CostOf(const Node& node) {
  if (node.op().cost == nullptr) return {};
  std::vector<ValueType> inputs = node.InputTypes();
  std::vector<ValueType> declared = node.ResultTypes();
  return node.op().cost({node.op(), inputs, node.attrs(), declared});
}

const ValueType* RowsType(const Node& node) {
  for (int i = 0; i < node.num_results(); ++i) {
    const ValueType& type = node.result(i).type;
    if (type.is_tensor() && type.rank() > 0) return &type;
  }
  return nullptr;
}

Graph::Graph(std::string name) : name_(std::move(name)) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) = default;
Graph& Graph::operator=(Graph&&) = default;

void Graph::set_plan(std::optional<Plan> plan) { plan_ = Held(std::move(plan)); }

Graph Graph::Clone() const {
  Graph copy(name_);
  copy.stage_ = stage_;
  copy.symbols_ = symbols_;
  copy.plan_ = CopyOf(plan_);
  absl::flat_hash_map<const Node*, Node*> twin;
  twin.reserve(nodes_.size());
  for (const auto& node : nodes_) {
    std::vector<Value> inputs;
    inputs.reserve(node->inputs_.size());
    for (Value input : node->inputs_) inputs.push_back({twin.at(input.node), input.index});
    Node* made = copy.Insert(nullptr, *node->op_, std::move(inputs), node->attrs_, {});
    made->results_ = node->results_;
    made->uses_.resize(node->results_.size());
    made->scope_ = node->scope_;
    made->merged_scopes_ = node->merged_scopes_;
    made->placement_ = CopyOf(node->placement_);
    twin[node.get()] = made;
  }
  for (Value result : results_) copy.AddResult({twin.at(result.node), result.index});
  return copy;
}

std::vector<Node*> Graph::nodes() const {
  std::vector<Node*> all;
  all.reserve(nodes_.size());
  for (const auto& node : nodes_) all.push_back(node.get());
  return all;
}

std::vector<Node*> Graph::NodesOf(const OpDef& op) const {
  std::vector<Node*> found;
  for (const auto& node : nodes_) {
    if (node->Is(op)) found.push_back(node.get());
  }
  return found;
}

std::vector<Node*> Graph::inputs() const { return NodesOf(ops::kInput); }

Node* Graph::Insert(Node* before, const OpDef& op, std::vector<Value> inputs,
                    std::vector<Attr> attrs, std::vector<ValueType> result_types) {
  auto node = std::unique_ptr<Node>(new Node());
  node->op_ = &op;
  node->inputs_ = std::move(inputs);
  node->attrs_ = std::move(attrs);
  for (ValueType& type : result_types) node->results_.push_back({std::move(type), {}, {}});
  node->uses_.resize(node->results_.size());
  Node* made = node.get();
  auto at = before == nullptr ? nodes_.end() : before->position_;
  made->position_ = nodes_.insert(at, std::move(node));
  for (size_t i = 0; i < made->inputs_.size(); ++i) {
    AddUse(made->inputs_[i], {made, static_cast<int>(i)});
  }
  return made;
}

Node* Graph::AddInput(std::string name, ValueType type) {
  auto first_other = std::find_if(nodes_.begin(), nodes_.end(),
                                  [](const auto& node) { return !node->Is(ops::kInput); });
  Node* before = first_other == nodes_.end() ? nullptr : first_other->get();
  Node* input = Insert(before, ops::kInput, {}, {}, {std::move(type)});
  input->results_[0].name = std::move(name);
  return input;
}

void Graph::AddResult(Value value) {
  AddUse(value, {nullptr, static_cast<int>(results_.size())});
  results_.push_back(value);
}

std::span<const Use> Graph::uses(Value value) const { return value.node->uses_[value.index]; }

bool Graph::IsResult(Value value) const {
  std::span<const Use> all = uses(value);
  return std::any_of(all.begin(), all.end(), [](const Use& use) { return use.user == nullptr; });
}

void Graph::AddUse(Value value, Use use) { value.node->uses_[value.index].push_back(use); }

void Graph::RemoveUse(Value value, Use use) {
  std::vector<Use>& uses = value.node->uses_[value.index];
  auto it = std::find(uses.begin(), uses.end(), use);
  assert(it != uses.end());
  uses.erase(it);
}

void Graph::SetInput(Node* node, int input, Value value) {
  RemoveUse(node->inputs_[input], {node, input});
  node->inputs_[input] = value;
  AddUse(value, {node, input});
}

void Graph::SetResult(int result, Value value) {
  RemoveUse(results_[result], {nullptr, result});
  results_[result] = value;
  AddUse(value, {nullptr, result});
}

void Graph::ReplaceAllUses(Value from, Value to) {
  std::vector<Use> uses = std::exchange(from.node->uses_[from.index], {});
  for (Use use : uses) {
    Value& slot = use.user == nullptr ? results_[use.input] : use.user->inputs_[use.input];
    slot = to;
    AddUse(to, use);
  }
}

void Graph::Erase(Node* node) {
  assert(std::all_of(node->uses_.begin(), node->uses_.end(),
                     [](const auto& uses) { return uses.empty(); }));
  for (size_t i = 0; i < node->inputs_.size(); ++i) {
    RemoveUse(node->inputs_[i], {node, static_cast<int>(i)});
  }
  nodes_.erase(node->position_);
}

void Graph::MoveBefore(Node* node, Node* before) {
  nodes_.splice(before->position_, nodes_, node->position_);
}

std::vector<uint64_t> NodeIds(const Graph& graph) {
  std::vector<uint64_t> ids;
  ids.reserve(graph.num_nodes());
  std::map<std::pair<std::string_view, std::string_view>, uint64_t> ordinals;
  for (const Node* node : graph.nodes()) {
    // Nodes without a scope (inputs, weights, states, hand-written tests) are identified by name.
    std::string_view scope = node->scope();
    if (scope.empty()) scope = node->result().name;
    uint64_t ordinal = ordinals[{scope, node->op().name}]++;
    ids.push_back(Hasher().Add(scope).Add(node->op().name).Add(ordinal).Finish());
  }
  return ids;
}

}  // namespace infer
