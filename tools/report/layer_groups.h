// SPDX-License-Identifier: Apache-2.0
//
// Groups layers that repeat, so that what they share is reported once. Reports, diffs and pictures
// all use these functions, so that "layers 0..27" means the same everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/program/program.h"
#include "tools/report/program_view.h"

namespace infer {

// A node in a column: a regime, or an interval of T if two Programs are compared.
struct ColumnNode {
  int32_t column = 0;
  std::string_view scope;
  std::string name;  // see NodeName
  std::string_view op;
  int32_t ordinal = 0;
  uint64_t signature = 0;  // equal if two nodes need not be distinguished
};

// The same node of several layers, or one node outside layers.
struct NodeGroup {
  std::string scope;  // without the layer: "attn/q_proj"
  std::string name;   // of the node in the first layer: "layer.0/attn/q_proj+k_proj+v_proj"
  std::string_view op;
  int32_t ordinal = 0;
  std::vector<int64_t> layers;  // ascending; empty outside layers
  std::vector<int32_t> items;   // by column, of the first layer; -1 if missing

  // Returns "layer.*/attn/q_proj", or with the number for one layer.
  std::string FullScope() const;
  // Returns "layer.*/attn/q_proj+k_proj+v_proj", or with the number for one layer.
  std::string FullName() const;
  // Returns the name without the layer: "attn/q_proj+k_proj+v_proj".
  std::string NameInLayer() const;
};

// `items` come column by column, each in program order. Groups are in program order too; those that
// differ only in their layers are adjacent.
std::vector<NodeGroup> GroupNodes(std::span<const ColumnNode> items, int32_t columns);

// Layers that consist of the same groups.
struct LayerGroup {
  std::vector<int64_t> layers;
  std::vector<int32_t> groups;  // positions, in program order
};
// Returns the groups sorted by first layer. The group with the most layers is the one that the
// others are compared with.
std::vector<LayerGroup> GroupLayers(std::span<const NodeGroup> groups);
const LayerGroup* LargestGroup(std::span<const LayerGroup> layers);  // nullptr if there are none

// All nodes of a Program, with regimes as columns: NodeGroup::items are positions in `nodes`.
struct GroupedProgram {
  std::vector<const NodeView*> nodes;
  std::vector<NodeGroup> groups;
  std::vector<LayerGroup> layers;

  // Returns the node in the first layer of a group, or nullptr if the regime has no such node.
  const NodeView* At(const NodeGroup& group, size_t regime) const {
    return group.items[regime] < 0 ? nullptr : nodes[group.items[regime]];
  }
};
// How nodes of different layers are compared: a list of decisions asks only for the types of
// inputs, a picture also for which of the layer's results they are. The first layer reads its norm
// there, the others a norm that is joined with the sum before it.
enum class CompareInputs { kByType, kBySource };

// Groups nodes that differ only in their layer: op, attributes, types, inputs and the whole
// placement record are equal.
GroupedProgram GroupProgram(std::span<const RegimeView> regimes,
                            CompareInputs inputs = CompareInputs::kBySource);

// Returns a scope, or the name of a node, without its layer.
std::string_view WithoutLayer(std::string_view scope);
// Returns the name of a node with a star for each layer number:
// "layer.*/ffn/residual+layer.*/attn/norm".
std::string NameInAnyLayer(std::string_view name);

// Returns a hash of what GroupProgram compares.
uint64_t LayerSignature(const NodeView& view, CompareInputs inputs);

}  // namespace infer
