// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/select_nodes.h"

#include <algorithm>
#include <string>
#include <vector>

#include "ir/base/glob.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/graph/node_name.h"
#include "ir/ops/attributes.h"
#include "ir/policy/policy.h"
#include "passes/suggest.h"
#include "tools/cli/exit_code.h"
#include "tools/report/layer_groups.h"

namespace infer {
namespace {

// Returns whether `what` matches consecutive components of a scope: "layer.3/attn/q_proj" is
// selected by itself, "layer.3", "attn", "attn/q_proj" and "q_proj".
bool Means(std::string_view what, std::string_view scope) {
  for (size_t begin = 0; begin <= scope.size();) {
    for (size_t end = begin; end < scope.size();) {
      end = std::min(scope.find('/', end + 1), scope.size());
      if (GlobMatch(what, scope.substr(begin, end - begin))) return true;
    }
    size_t slash = scope.find('/', begin);
    if (slash == std::string_view::npos) break;
    begin = slash + 1;
  }
  return false;
}

std::vector<std::string_view> NamesOf(const Node& node) {
  std::vector<std::string_view> names = {node.scope()};
  for (const std::string& scope : node.merged_scopes()) names.push_back(scope);
  for (int i = 0; i < node.num_results(); ++i) {
    if (!node.result(i).origin.empty()) names.push_back(node.result(i).origin);
    if (!node.result(i).name.empty()) names.push_back(node.result(i).name);
  }
  for (const Value& input : node.inputs()) {
    if (input.node->op().traits.weight) names.push_back(WeightName(*input.node));
  }
  return names;
}

bool IsMeant(std::string_view what, const NodeView& view) {
  if (what == "all" || what == IdText(view.id)) return true;
  if (!view.node->merged_scopes().empty() && Means(what, NodeName(*view.node))) return true;
  const OpDef& op = view.node->op();
  if (OpMatches(what, op.name, op.family_name())) return true;
  for (std::string_view name : NamesOf(*view.node)) {
    if (Means(what, name)) return true;
  }
  return false;
}

// Returns all words that could have been meant.
std::set<std::string_view> WordsFor(std::span<const RegimeView> regimes) {
  std::set<std::string_view> words;
  for (const RegimeView& regime : regimes) {
    for (const NodeView& view : regime.nodes) {
      words.insert({view.node->op().name, view.node->op().family_name()});
      for (std::string_view name : NamesOf(*view.node)) {
        words.insert({name, WithoutLayer(name), name.substr(name.rfind('/') + 1)});
      }
    }
  }
  return words;
}

std::string NearestTo(std::string_view what, std::span<const RegimeView> regimes) {
  const std::set<std::string_view> words = WordsFor(regimes);
  const std::vector<std::string_view> candidates(words.begin(), words.end());
  return SuggestForGlob(what, candidates);
}

}  // namespace

absl::StatusOr<std::set<uint64_t>> SelectNodes(std::span<const RegimeView> regimes,
                                               std::string_view what) {
  if (what.starts_with("%")) what.remove_prefix(1);
  std::set<uint64_t> ids;
  for (const RegimeView& regime : regimes) {
    for (const NodeView& view : regime.nodes) {
      if (IsMeant(what, view)) ids.insert(view.id);
    }
  }
  if (!ids.empty()) return ids;
  return UsageError(StrCat("--explain ", Quote(what),
                           ": no node has this id, name, scope or op, or reads this weight",
                           NearestTo(what, regimes), "; --explain all lists them"));
}

}  // namespace infer
