// SPDX-License-Identifier: Apache-2.0
//
// Layers repeat: what is the same in all of them is said once. Reports, diffs and pictures fold
// with these functions, so that "layers 0..27" means the same everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/program/program.h"
#include "tools/api/report/program_view.h"

namespace infer {

// A node in a column: a regime, or an interval of T where two Programs are compared.
struct FoldItem {
  int32_t column = 0;
  std::string_view scope;
  std::string_view op;
  int32_t ordinal = 0;
  uint64_t signature = 0;  // equal where two nodes need not be told apart
};

// The same node of several layers, or one node outside layers.
struct FoldGroup {
  std::string scope;  // without the layer: "attn/q_proj"
  std::string_view op;
  int32_t ordinal = 0;
  std::vector<int64_t> layers;  // ascending; empty outside layers
  std::vector<int32_t> items;   // by column, those of the first layer; -1: not there

  // "layer.*/attn/q_proj", with the number for one layer.
  std::string FullScope() const;
};

// `items` come column by column, each in program order. Groups are in program order too; those that
// differ only in their layers stand together.
std::vector<FoldGroup> Fold(std::span<const FoldItem> items, int32_t columns);

// Layers that consist of the same groups.
struct LayerGroup {
  std::vector<int64_t> layers;
  std::vector<int32_t> groups;  // positions, in program order
};
// By first layer. The one with the most layers is what the others differ from.
std::vector<LayerGroup> GroupLayers(std::span<const FoldGroup> groups);
const LayerGroup* LargestGroup(std::span<const LayerGroup> layers);  // nullptr if there are none

// All of a Program's nodes with regimes as columns: FoldGroup::items are positions in `nodes`.
struct FoldedProgram {
  std::vector<const NodeView*> nodes;
  std::vector<FoldGroup> groups;
  std::vector<LayerGroup> layers;

  // Of the first layer of a group; nullptr where the regime has no such node.
  const NodeView* At(const FoldGroup& group, size_t regime) const {
    return group.items[regime] < 0 ? nullptr : nodes[group.items[regime]];
  }
};
// Nodes are the same if they differ in nothing but their layer: op, attributes, types, which of the
// layer's results they read, and the whole record of their placement.
FoldedProgram FoldProgram(std::span<const RegimeView> regimes);

// The scope without its layer.
std::string_view WithoutLayer(std::string_view scope);

// What FoldProgram compares.
uint64_t LayerSignature(const NodeView& view);

}  // namespace infer
