// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/scope_tree.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_split.h"
#include "ir/base/strings.h"
#include "ir/graph/placement.h"

namespace infer {
namespace {

Branch LeafOf(const GroupedProgram& grouped, const NodeGroup& group, size_t estimated_regime) {
  Branch leaf;
  leaf.op = group.op;
  leaf.count = 1;
  for (size_t r = 0; r < group.items.size(); ++r) {
    const NodeView* view = grouped.At(group, r);
    leaf.by_regime.push_back(view);
    if (view == nullptr) continue;
    if (leaf.types.empty()) {
      std::string weights = WeightTypesText(*view->node);
      leaf.types = StrCat(weights, weights.empty() ? "" : " → ", ResultsText(*view->node));
    }
    if (r != estimated_regime) continue;
    leaf.estimate_ns_min = view->placement().estimate_ns_min;
    leaf.estimate_ns_max = view->placement().estimate_ns_max;
  }
  return leaf;
}

bool SamePlaces(const Branch& a, const Branch& b) {
  return a.op == b.op && a.types == b.types &&
         std::ranges::equal(a.by_regime, b.by_regime, [](const NodeView* x, const NodeView* y) {
           if (x == nullptr || y == nullptr) return x == y;
           return x->placement().target == y->placement().target;
         });
}

// Returns the folder of the group's scope; the last component is the name of its nodes.
Branch* FolderOf(Branch* root, const NodeGroup& group) {
  Branch* at = root;
  std::vector<absl::string_view> parts = absl::StrSplit(group.scope, '/');
  const std::string name = group.NameInLayer();
  parts.back() = ToAbsl(std::string_view(name).substr(group.scope.rfind('/') + 1));
  for (absl::string_view part : parts) {
    auto it = std::ranges::find(at->children, ToStd(part), &Branch::label);
    if (it == at->children.end()) {
      Branch folder;
      folder.label = std::string(ToStd(part));
      it = at->children.insert(it, std::move(folder));
    }
    at = &*it;
  }
  return at;
}

}  // namespace

Branch ScopeTree(const GroupedProgram& grouped, const std::vector<const NodeGroup*>& groups,
                 size_t estimated_regime) {
  Branch root;
  for (const NodeGroup* group : groups) {
    Branch* folder = FolderOf(&root, *group);
    Branch leaf = LeafOf(grouped, *group, estimated_regime);
    auto same = std::ranges::find_if(folder->children,
                                     [&](const Branch& child) { return SamePlaces(child, leaf); });
    if (same == folder->children.end()) {
      folder->children.push_back(std::move(leaf));
      continue;
    }
    ++same->count;
    same->estimate_ns_min += leaf.estimate_ns_min;
    same->estimate_ns_max += leaf.estimate_ns_max;
  }
  return root;
}

}  // namespace infer
