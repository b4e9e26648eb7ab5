// SPDX-License-Identifier: Apache-2.0
#include "tools/report/layer_groups.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "passes/node_facts.h"

namespace infer {
namespace {

// A node in all columns.
struct Cell {
  std::optional<int64_t> layer;
  std::string_view scope;  // without the layer
  const ColumnNode* any = nullptr;
  std::vector<int32_t> items;
};
using NodeKey = std::tuple<std::string_view, std::string_view, int32_t>;  // scope, op, ordinal

// Joins the columns: a node that only a later column has is inserted after its predecessor there.
std::list<Cell> JoinColumns(std::span<const ColumnNode> items, int32_t columns) {
  std::list<Cell> cells;
  std::map<NodeKey, std::list<Cell>::iterator> found;
  auto last = cells.end();
  int32_t column = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const ColumnNode& item = items[i];
    if (item.column != column) last = cells.end();
    column = item.column;
    auto [it, is_new] = found.try_emplace({item.scope, item.op, item.ordinal}, cells.end());
    if (is_new) {
      // First in a later column: inserted before everything.
      auto next =
          last == cells.end() ? (column == 0 ? cells.end() : cells.begin()) : std::next(last);
      Cell cell{LayerOf(item.scope), WithoutLayer(item.scope), &item,
                std::vector<int32_t>(columns, -1)};
      it->second = cells.insert(next, std::move(cell));
    }
    it->second->items[column] = static_cast<int32_t>(i);
    last = it->second;
  }
  return cells;
}

// Groups cells that look the same in every column.
class Gatherer {
 public:
  explicit Gatherer(std::span<const ColumnNode> items) : items_(items) {}

  void Add(const Cell& cell) {
    std::vector<uint64_t> looks;
    for (int32_t item : cell.items) looks.push_back(item < 0 ? 0 : items_[item].signature);
    NodeKey node = {cell.scope, cell.any->op, cell.any->ordinal};
    auto [it, is_new] = same_.try_emplace({cell.layer.has_value(), node, looks}, groups_.end());
    if (is_new) {
      // Inserted after the same node of other layers, or else after the preceding node and its
      // equals.
      auto likes = last_of_.find(last_of_.contains(node) ? node : last_key_);
      auto after = likes == last_of_.end() ? groups_.end() : likes->second;
      NodeGroup group{
          std::string(cell.scope), cell.any->name, cell.any->op, cell.any->ordinal, {}, cell.items};
      it->second =
          groups_.insert(after == groups_.end() ? after : std::next(after), std::move(group));
      last_of_[node] = it->second;
    }
    if (cell.layer) it->second->layers.push_back(*cell.layer);
    last_key_ = node;
  }

  std::vector<NodeGroup> Finish() {
    for (NodeGroup& group : groups_) std::ranges::sort(group.layers);
    return {std::make_move_iterator(groups_.begin()), std::make_move_iterator(groups_.end())};
  }

 private:
  using Position = std::list<NodeGroup>::iterator;
  std::span<const ColumnNode> items_;
  std::list<NodeGroup> groups_;
  std::map<std::tuple<bool, NodeKey, std::vector<uint64_t>>, Position> same_;
  std::map<NodeKey, Position> last_of_;
  NodeKey last_key_;
};

}  // namespace

std::string_view WithoutLayer(std::string_view scope) {
  if (!LayerOf(scope)) return scope;
  size_t slash = scope.find('/');
  return slash == std::string_view::npos ? std::string_view() : scope.substr(slash + 1);
}

std::string NameInAnyLayer(std::string_view name) {
  std::string starred;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find(kScopeSeparator, begin), name.size());
    const std::string_view member = name.substr(begin, end - begin);
    const size_t layer = LayerOf(member) ? std::min(member.find('/'), member.size()) : 0;
    StrAppend(&starred, begin == 0 ? "" : "+", layer > 0 ? "layer.*" : "", member.substr(layer));
    begin = end + 1;
  }
  return starred;
}

std::string NodeGroup::FullName() const { return layers.size() > 1 ? NameInAnyLayer(name) : name; }

std::string NodeGroup::NameInLayer() const {
  const std::string_view in_layer = WithoutLayer(name);
  return layers.size() > 1 ? NameInAnyLayer(in_layer) : std::string(in_layer);
}

std::string NodeGroup::FullScope() const {
  if (layers.empty()) return scope;
  std::string number = layers.size() == 1 ? StrCat(layers[0]) : "*";
  return StrCat("layer.", number, scope.empty() ? "" : "/", scope);
}

std::vector<NodeGroup> GroupNodes(std::span<const ColumnNode> items, int32_t columns) {
  Gatherer gatherer(items);
  for (const Cell& cell : JoinColumns(items, columns)) gatherer.Add(cell);
  return gatherer.Finish();
}

std::vector<LayerGroup> GroupLayers(std::span<const NodeGroup> groups) {
  std::map<int64_t, std::vector<int32_t>> groups_of;  // by layer
  for (size_t i = 0; i < groups.size(); ++i) {
    for (int64_t layer : groups[i].layers) groups_of[layer].push_back(static_cast<int32_t>(i));
  }
  std::vector<LayerGroup> result;
  std::map<std::vector<int32_t>, size_t> same;
  for (auto& [layer, members] : groups_of) {
    auto [it, is_new] = same.try_emplace(members, result.size());
    if (is_new) result.push_back({{}, members});
    result[it->second].layers.push_back(layer);
  }
  return result;
}

const LayerGroup* LargestGroup(std::span<const LayerGroup> layers) {
  auto largest = std::ranges::max_element(
      layers, {}, [](const LayerGroup& group) { return group.layers.size(); });
  return largest == layers.end() ? nullptr : &*largest;
}

GroupedProgram GroupProgram(std::span<const RegimeView> regimes, CompareInputs inputs) {
  GroupedProgram grouped;
  std::vector<ColumnNode> items;
  for (size_t r = 0; r < regimes.size(); ++r) {
    for (const NodeView& view : regimes[r].nodes) {
      items.push_back({static_cast<int32_t>(r), view.node->scope(), NodeName(*view.node),
                       view.node->op().name, view.ordinal, LayerSignature(view, inputs)});
      grouped.nodes.push_back(&view);
    }
  }
  grouped.groups = GroupNodes(items, static_cast<int32_t>(regimes.size()));
  grouped.layers = GroupLayers(grouped.groups);
  return grouped;
}

}  // namespace infer
