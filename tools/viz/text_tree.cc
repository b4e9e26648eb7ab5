// SPDX-License-Identifier: Apache-2.0
//
//                                                  T 1..3    T 4..512   estimate, T 1..3
//   embed          embed          q8_0 → f32[T,256]  scalar    scalar     562 ns..1.2 us
//   layers 0..4  × 5
//   ├─ attn
//   │  ├─ norm     rms_norm       f32 → f32[T,256]   ...
//   layer 5  the same but for 7 nodes
//
// A column for each regime says where a node runs. Estimates are those of the regime that was asked
// for.
#include "tools/viz/text_tree.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "ir/base/strings.h"
#include "tools/report/layer_groups.h"
#include "tools/report/program_head.h"
#include "tools/report/program_view.h"
#include "tools/report/quantity_text.h"
#include "tools/report/regime_table.h"
#include "tools/viz/crossings.h"
#include "tools/viz/scope_tree.h"
#include "tools/viz/tree_table.h"

namespace infer {
namespace {

// As many regimes as fit side by side in 100 columns.
constexpr size_t kMaxRegimeColumns = 3;

class TreePrinter {
 public:
  TreePrinter(const Program& program, const TextTreeOptions& options)
      : options_(options),
        regimes_(ViewRegimes(program)),
        grouped_(GroupProgram(regimes_, CompareInputs::kByType)) {
    chosen_ = static_cast<size_t>(std::max(0, RegimeOf(program, options.tokens)));
    // Too many regimes for columns: show only the requested one.
    for (size_t r = 0; r < regimes_.size(); ++r) {
      if (regimes_.size() <= kMaxRegimeColumns || r == chosen_) shown_.push_back(r);
    }
  }

  std::string Print(const Program& program) {
    bool layers_done = false;
    std::vector<const NodeGroup*> run;  // nodes outside layers that follow each other
    for (const NodeGroup& group : grouped_.groups) {
      if (group.layers.empty()) {
        run.push_back(&group);
      } else if (!layers_done) {
        AddOutside(&run);
        AddLayers();
        layers_done = true;
      }
    }
    AddOutside(&run);
    return StrCat(HeadText(program, 9), "regimes\n", RegimeTable(regimes_), DevicesText(), "\n",
                  RowsText());
  }

 private:
  // Lists what goes from device to device; empty if everything runs on one.
  std::string DevicesText() const {
    size_t tokens = 0;
    for (const RegimeView& regime : regimes_) {
      tokens = std::max(tokens, RangeText(regime.tokens()).size() + 2);
    }
    std::string text;
    for (const RegimeView& regime : regimes_) {
      for (const Crossing& crossing : CrossingsOf(regime)) {
        StrAppend(&text, "  T ", PadTo(RangeText(regime.tokens()), tokens), CrossingText(crossing),
                  "\n");
      }
    }
    return text.empty() ? text : StrCat("between devices\n", text);
  }

  void AddOutside(std::vector<const NodeGroup*>* run) {
    for (const Branch& child : ScopeTree(grouped_, *run, chosen_).children)
      AddBranch(child, "", "");
    run->clear();
  }

  std::vector<const NodeGroup*> GroupsOf(const LayerGroup& layers) const {
    std::vector<const NodeGroup*> groups;
    for (int32_t i : layers.groups) groups.push_back(&grouped_.groups[i]);
    return groups;
  }

  void AddHeading(std::string text) {
    TreeRow row;
    row.label = std::move(text);
    rows_.push_back(std::move(row));
  }

  // Lists the largest group first, then the others by their differences from it.
  void AddLayers() {
    if (!options_.layers.empty()) {
      for (int64_t layer : options_.layers) AddLayer(layer);
      return;
    }
    const LayerGroup* largest = LargestGroup(grouped_.layers);
    AddHeading(largest->layers.size() == 1 ? StrCat("layer ", largest->layers[0])
                                           : StrCat("layers ", LayersText(largest->layers), "  × ",
                                                    largest->layers.size()));
    AddChildren(ScopeTree(grouped_, GroupsOf(*largest), chosen_), "");
    for (const LayerGroup& layers : grouped_.layers) {
      if (&layers != largest) AddDifference(layers, *largest);
    }
  }

  void AddLayer(int64_t layer) {
    for (const LayerGroup& layers : grouped_.layers) {
      if (std::ranges::find(layers.layers, layer) == layers.layers.end()) continue;
      AddHeading(StrCat("layer ", layer));
      AddChildren(ScopeTree(grouped_, GroupsOf(layers), chosen_), "");
    }
  }

  // Lists only what the layers do not share with most of the others.
  void AddDifference(const LayerGroup& layers, const LayerGroup& largest) {
    std::set<int32_t> usual(largest.groups.begin(), largest.groups.end());
    std::set<std::pair<std::string_view, std::string_view>> keys;  // scope, op
    std::vector<const NodeGroup*> own;
    for (int32_t i : layers.groups) {
      const NodeGroup& group = grouped_.groups[i];
      keys.insert({group.scope, group.op});
      if (!usual.contains(i)) own.push_back(&group);
    }
    AddHeading(StrCat("layer", layers.layers.size() > 1 ? "s " : " ", LayersText(layers.layers),
                      "  the same but for ", own.size(), own.size() == 1 ? " node" : " nodes"));
    AddChildren(ScopeTree(grouped_, own, chosen_), "");
    for (int32_t i : largest.groups) {
      const NodeGroup& group = grouped_.groups[i];
      if (keys.contains({group.scope, group.op})) continue;
      AddHeading(StrCat("   without ", group.NameInLayer(), " ", group.op));
    }
  }

  void AddChildren(const Branch& branch, const std::string& prefix) {
    for (size_t i = 0; i < branch.children.size(); ++i) {
      bool is_last = i + 1 == branch.children.size();
      AddBranch(branch.children[i], StrCat(prefix, is_last ? "└─ " : "├─ "),
                StrCat(prefix, is_last ? "   " : "│  "));
    }
  }

  // `joint` is printed before the branch, `prefix` before what is below it.
  void AddBranch(const Branch& branch, const std::string& joint, const std::string& prefix) {
    if (branch.count > 0) {
      AddNode(joint, branch);
    } else if (branch.children.size() == 1 && branch.children[0].count > 0) {
      AddNode(StrCat(joint, branch.label), branch.children[0]);
    } else {
      AddHeading(StrCat(joint, branch.label));
      AddChildren(branch, prefix);
    }
  }

  void AddNode(std::string label, const Branch& node) {
    TreeRow row;
    row.label = std::move(label);
    row.op = node.count > 1 ? StrCat(node.op, " × ", node.count) : node.op;
    row.types = node.types;
    row.estimate = SpanText(TimeText(node.estimate_ns_min), TimeText(node.estimate_ns_max));
    for (size_t r : shown_) {
      const NodeView* view = node.by_regime[r];
      row.targets.push_back(view == nullptr ? std::nullopt
                                            : std::optional(view->placement().target));
    }
    rows_.push_back(std::move(row));
  }

  std::string RowsText() const {
    std::vector<std::string> heads;
    for (size_t r : shown_) heads.push_back(StrCat("T ", RangeText(regimes_[r].tokens())));
    const std::string of = StrCat("estimate, T ", RangeText(regimes_[chosen_].tokens()));
    return TreeTableText(rows_, {heads, of}, options_.color);
  }

  const TextTreeOptions& options_;
  std::vector<RegimeView> regimes_;
  GroupedProgram grouped_;
  size_t chosen_ = 0;
  std::vector<size_t> shown_;
  std::vector<TreeRow> rows_;
};

}  // namespace

std::string TextTree(const Program& program, const TextTreeOptions& options) {
  return TreePrinter(program, options).Print(program);
}

}  // namespace infer
