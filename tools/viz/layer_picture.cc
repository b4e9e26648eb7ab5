// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/layer_picture.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "ir/graph/placement.h"
#include "ir/ops/ops.h"
#include "passes/node_facts.h"
#include "tools/report/program_head.h"
#include "tools/report/quantity_text.h"
#include "tools/viz/crossings.h"

namespace infer {
namespace {

std::string_view LastPart(std::string_view scope) { return scope.substr(scope.rfind('/') + 1); }

// Returns "layer.3/attn" for "layer.3/attn/q_proj".
std::string ClusterOf(std::string_view scope) {
  size_t slash = scope.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(scope.substr(0, slash));
}

// `is_part` says that the scope and those merged into it belong to the whole that the node was
// decomposed from.
PictureNode BoxOf(const NodeView& view, bool is_part) {
  const Node& node = *view.node;
  PictureNode box;
  box.view = &view;
  box.title = node.op().name;
  box.names = is_part ? std::string(LastPart(node.scope())) : NodeNameInFolder(node);
  std::string weights = WeightTypesText(node);
  box.types = StrCat(weights, weights.empty() ? "" : " → ", ResultsText(node));
  box.cluster = ClusterOf(node.scope());
  return box;
}

std::string PlaceOf(const Node& node) {
  if (node.op().traits.state) return "kv cache";
  std::optional<int64_t> layer = LayerOf(node.scope());
  return layer ? StrCat("layer ", *layer) : std::string(LastPart(node.scope()));
}

class Painter {
 public:
  Painter(const RegimeView& regime, std::span<const int64_t> layers)
      : regime_(regime), kinds_(regime) {
    for (const NodeView& view : regime.nodes) {
      std::optional<int64_t> layer = LayerOf(view.node->scope());
      if (layer && std::ranges::find(layers, *layer) != layers.end()) {
        chosen_.push_back(&view);
        ++nodes_in_[view.node->scope()];
      }
    }
  }

  void Paint(Picture* picture) {
    to_ = picture;
    for (const NodeView* view : chosen_) AddSources(*view);
    for (const NodeView* view : chosen_) {
      box_of_[view->node] = static_cast<int32_t>(to_->nodes.size());
      to_->nodes.push_back(BoxOf(*view, nodes_in_[view->node->scope()] > 1));
    }
    for (const NodeView* view : chosen_) AddEdges(*view);
    AddSinks();
  }

 private:
  bool IsChosen(const Node& node) const {
    return std::ranges::any_of(chosen_, [&](const NodeView* view) { return view->node == &node; });
  }

  static bool IsShown(const Node& node) {
    return !node.op().traits.weight && !node.Is(ops::kInput);
  }

  // Adds boxes for what the layers read but do not compute. A cache that a layer writes is its own.
  void AddSources(const NodeView& view) {
    for (const Value& input : view.node->inputs()) {
      const Node& from = *input.node;
      if (!IsShown(from) || IsChosen(from) || box_of_.contains(&from)) continue;
      box_of_[&from] = static_cast<int32_t>(to_->nodes.size());
      PictureNode box;
      box.title = from.op().traits.state ? PlaceOf(from) : StrCat("from ", PlaceOf(from));
      if (from.op().traits.state) box.types = ToString(from.result().type);
      to_->nodes.push_back(std::move(box));
    }
  }

  void AddEdges(const NodeView& view) {
    std::map<const Node*, double> bytes;  // a node that reads two results has one edge
    for (const Value& input : view.node->inputs()) {
      if (IsShown(*input.node)) bytes[input.node] += BytesOf(input);
    }
    for (const auto& [from, size] : bytes) AddEdge(*from, view, size);
  }

  void AddEdge(const Node& from, const NodeView& to, double bytes) {
    PictureEdge edge{box_of_.at(&from), box_of_.at(to.node), bytes};
    const EdgeKind kind = from.placement() ? kinds_.Of(from, *to.node) : EdgeKind::kSameDevice;
    edge.crosses = kind != EdgeKind::kSameDevice;
    edge.shared = kind == EdgeKind::kShared;
    to_->edges.push_back(edge);
  }

  double BytesOf(const Value& value) const {
    return CountBytes(value.type()).At(regime_.symbols().Highest());
  }

  // Adds boxes for readers of what the layers compute.
  void AddSinks() {
    std::map<std::pair<int32_t, std::string>, double> sinks;  // from a box, to a place
    for (const NodeView& view : regime_.nodes) {
      if (box_of_.contains(view.node)) continue;
      for (const Value& input : view.node->inputs()) {
        if (!IsChosen(*input.node)) continue;
        sinks[{box_of_.at(input.node), StrCat("to ", PlaceOf(*view.node))}] = BytesOf(input);
      }
    }
    std::map<std::string, int32_t> boxes;
    for (const auto& [sink, bytes] : sinks) {
      auto [it, is_new] = boxes.try_emplace(sink.second, static_cast<int32_t>(to_->nodes.size()));
      if (is_new) {
        PictureNode box;
        box.title = sink.second;
        to_->nodes.push_back(std::move(box));
      }
      to_->edges.push_back({sink.first, it->second, bytes});
    }
  }

  const RegimeView& regime_;
  EdgeKinds kinds_;
  std::vector<const NodeView*> chosen_;
  std::map<std::string_view, int> nodes_in_;  // by scope
  std::map<const Node*, int32_t> box_of_;
  Picture* to_ = nullptr;
};

}  // namespace

Picture DrawLayers(const Program& program, const RegimeView& regime, const GroupedProgram& grouped,
                   std::span<const int64_t> layers) {
  Picture picture;
  picture.title = StrCat("Layer", layers.size() > 1 ? "s " : " ", LayersText(layers), " of ",
                         ModelText(program.model));
  picture.subtitle = StrCat(regime.label(), ", policy ", program.policy.name);
  for (const LayerGroup& group : grouped.layers) {
    if (layers.size() != 1 || group.layers.size() < 2) continue;
    if (std::ranges::find(group.layers, layers[0]) == group.layers.end()) continue;
    StrAppend(&picture.subtitle, "; layers ", LayersText(group.layers), " are the same");
  }
  picture.captions = PlacedCaptions(program);
  Painter(regime, layers).Paint(&picture);
  return picture;
}

std::string CrossingLabel(const PictureEdge& edge) {
  return StrCat(BytesText(edge.bytes), edge.shared ? " shared" : "");
}

}  // namespace infer
