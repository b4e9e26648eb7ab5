// SPDX-License-Identifier: Apache-2.0
#include "passes/choose_shards.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_join.h"
#include "ir/base/decision.h"
#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "ir/verify/verifier.h"
#include "passes/node_facts.h"

namespace infer {
namespace {

// The largest number of ranks that an error suggests.
constexpr int32_t kMostSuggested = 64;

bool IsWeight(Value value) { return value.node->op().traits.weight; }
bool IsState(Value value) { return value.node->op().traits.state; }

// The columns of all results of a product, or nullopt if the strategy divides no weight of it.
std::optional<int64_t> ProductColumns(const Node& node, const ShardStrategy& strategy) {
  bool divides_weight = false;
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    divides_weight |= IsWeight(node.inputs()[i]) && node.inputs()[i].type().rank() >= 2 &&
                      !strategy.inputs[i].is_replicated();
  }
  if (!divides_weight) return std::nullopt;
  int64_t columns = 0;
  for (const ValueType& type : node.ResultTypes()) columns += type.dim(-1).value();
  return columns;
}

class Chooser {
 public:
  Chooser(const Graph& graph, const ShardPolicy& shard) : graph_(graph), shard_(shard) {
    for (const Node* node : graph.nodes()) {
      if (ReadsRows(*node)) continue;
      for (const Value& input : node->inputs()) {
        if (IsWeight(input)) read_whole_.insert(input.node);
      }
    }
  }

  // Returns false if a node of a layer cannot be divided; refusal() then says why.
  bool Choose() {
    for (Node* node : graph_.nodes()) {
      ShardChoice choice = ChooseFor(*node);
      if (!refusal_.empty()) return false;
      for (int i = 0; i < node->num_results(); ++i) {
        shardings_[node].push_back(choice.strategy ? choice.strategy->results[i] : Sharding());
      }
      choices_.push_back(std::move(choice));
    }
    return true;
  }

  const std::string& refusal() const { return refusal_; }
  std::vector<ShardChoice> TakeChoices() { return std::move(choices_); }

 private:
  static bool ReadsRows(const Node& node) { return node.op().traits.index_input >= 0; }

  // Whether the node reads rows of a table that another node reads whole. Each rank has the file
  // mapped, and only the rows that it reads take memory; a part of all rows would be a copy.
  bool ReadsRowsOfMatrix(const Node& node) const {
    return ReadsRows(node) && std::ranges::any_of(node.inputs(), [&](const Value& input) {
             return read_whole_.contains(input.node);
           });
  }

  // Whether each input is as the strategy needs it, or can be made so.
  Decision InputsFit(const Node& node, const ShardStrategy& strategy) const {
    for (size_t i = 0; i < node.inputs().size(); ++i) {
      const Value input = node.inputs()[i];
      const Sharding wanted = strategy.inputs[i];
      if (IsWeight(input) || IsState(input)) continue;
      const Sharding found = shardings_.at(input.node)[input.index];
      if (found == wanted) continue;
      if (!wanted.is_replicated()) {
        return Decision::Reject(
            StrCat("input ", i, " is ", ToString(found), ", not ", ToString(wanted)));
      }
    }
    return Decision::Accept();
  }

  ShardChoice ChooseFor(const Node& node) {
    if (!IsExecuted(node)) return {};
    if (node.op().shard == nullptr) {
      return {std::nullopt, "it needs whole values"};
    }
    if (ReadsRowsOfMatrix(node)) {
      return {std::nullopt, "few of its rows are read, from the file of the output matrix"};
    }
    const std::vector<ValueType> inputs = node.InputTypes();
    std::string reason = "it needs whole rows";
    for (ShardStrategy& strategy : node.op().shard({node.op(), inputs, node.attrs(), {}})) {
      if (!strategy.is_exact && shard_.mode == ShardPolicy::Mode::kExact) continue;
      if (Decision fit = InputsFit(node, strategy); !fit.accepted()) {
        reason = fit.reason();
        continue;
      }
      if (std::optional<int64_t> columns = ProductColumns(node, strategy);
          columns && *columns < shard_.min_columns) {
        reason = StrCat(*columns, " columns are too few to be worth a collective, which needs ",
                        shard_.min_columns);
        continue;
      }
      if (strategy.units % shard_.ranks != 0) {
        reason = StrCat("it has ", strategy.units, " ", strategy.unit_name, ", which ",
                        shard_.ranks, " ranks cannot share evenly");
        if (strategy.is_exact && LayerOf(node.scope())) {
          refusal_ = StrCat("node ", DescribeNode(node), ": ", reason);
        }
        continue;
      }
      refusal_.clear();
      reason = strategy.reason;
      return {std::move(strategy), std::move(reason)};
    }
    return {std::nullopt, std::move(reason)};
  }

  const Graph& graph_;
  const ShardPolicy& shard_;
  std::unordered_set<const Node*> read_whole_;                        // weights
  std::unordered_map<const Node*, std::vector<Sharding>> shardings_;  // of each node's results
  std::vector<ShardChoice> choices_;
  std::string refusal_;
};

}  // namespace

absl::StatusOr<std::vector<ShardChoice>> ChooseShards(const Graph& graph,
                                                      const ShardPolicy& shard) {
  Chooser chooser(graph, shard);
  if (chooser.Choose()) return chooser.TakeChoices();
  std::vector<int32_t> possible;
  for (int32_t ranks = 2; ranks <= kMostSuggested; ++ranks) {
    ShardPolicy other = shard;
    other.ranks = ranks;
    if (Chooser(graph, other).Choose()) possible.push_back(ranks);
  }
  return absl::InvalidArgumentError(
      StrCat("the model cannot be divided by ", shard.ranks, " ranks: ", chooser.refusal(), "; ",
             possible.empty() ? "run it in one process"
                              : StrCat("possible: ", absl::StrJoin(possible, ", "))));
}

}  // namespace infer
