// SPDX-License-Identifier: Apache-2.0
#include "passes/invariant_catalog.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "ir/base/strings.h"
#include "passes/node_facts.h"

namespace infer {
namespace {

// What the kernels for a node depend on, and the rule that decides about it.
std::string KindText(const Node& node, std::string_view more) {
  std::string text(node.op().name);
  for (const Value& input : node.inputs()) StrAppend(&text, " ", ToString(input.type()));
  for (const Attr& attr : node.attrs()) StrAppend(&text, " ", ToString(attr));
  return StrCat(text, " ", more, " ", node.scope());
}

}  // namespace

KernelAnswer InvariantCatalog::Find(const Node& node, Target target,
                                    const SymbolRanges& symbols) const {
  KernelAnswer answer = catalog_.Find(node, target, symbols);
  if (!answer.kernel || node.op().traits.view) return answer;
  const std::string& wanted = ClassOf(node);
  if (!wanted.empty() && answer.kernel->record.numerics == wanted) return answer;
  for (KernelFacts& kernel : catalog_.FindAll(node, target, symbols)) {
    if (!wanted.empty() && kernel.record.numerics == wanted) return {std::move(kernel), {}};
  }
  const std::string& found = answer.kernel->record.numerics;
  if (wanted.empty()) {
    return {std::nullopt, StrCat("the policy is invariant, and no way of rounding and adding is "
                                 "offered for every number of tokens")};
  }
  if (found.empty()) {
    return {std::nullopt, StrCat("the policy is invariant, and the bits of ", answer.kernel->name,
                                 " depend on the number of rows")};
  }
  return {std::nullopt, StrCat("the policy is invariant: ", answer.kernel->name, " computes ",
                               Quote(found), ", other numbers of tokens ", Quote(wanted))};
}

std::vector<std::string> InvariantCatalog::Offered(const Node& node,
                                                   const SymbolRanges& symbols) const {
  std::vector<std::string> classes;
  absl::StatusOr<RuleChoice> by = ChooseRule(policy_, node, symbols);
  if (!by.ok()) return classes;
  for (Target target : by->rule->targets) {
    for (const KernelFacts& kernel : catalog_.FindAll(node, target, symbols)) {
      const std::string& numerics = kernel.record.numerics;
      if (!numerics.empty() && std::ranges::find(classes, numerics) == classes.end()) {
        classes.push_back(numerics);
      }
    }
  }
  return classes;
}

std::string InvariantCatalog::CommonClass(const Node& node, const SymbolRanges& first) const {
  std::vector<std::string> common = Offered(node, first);
  for (const SymbolRanges& symbols : regimes_) {
    const std::vector<std::string> here = Offered(node, symbols);
    std::erase_if(common, [&](const std::string& numerics) {
      return std::ranges::find(here, numerics) == here.end();
    });
  }
  return common.empty() ? std::string() : common.front();
}

// First of what there is for more rows than any call has: a class must not depend on the largest
// call that a Program is compiled for.
std::string InvariantCatalog::ChooseClass(const Node& node) const {
  constexpr int64_t kMany = 1 << 16;
  SymbolRanges many;
  for (Range& range : many.ranges) range = {kMany, kMany};
  std::string common = CommonClass(node, many);
  return common.empty() ? CommonClass(node, regimes_.back()) : common;
}

const std::string& InvariantCatalog::ClassOf(const Node& node) const {
  auto [it, is_new] = classes_.try_emplace(KindText(node, catalog_.KindOf(node)));
  if (is_new) it->second = ChooseClass(node);
  return it->second;
}

}  // namespace infer
