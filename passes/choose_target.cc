// SPDX-License-Identifier: Apache-2.0
#include "passes/choose_target.h"

#include <algorithm>
#include <utility>

#include "ir/base/advice.h"
#include "ir/base/decision.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/verify/verifier.h"
#include "passes/expand.h"

namespace infer {
namespace {

// Returns whether all parts of `node` run on `target`. Tried on a separate graph, so that a refusal
// leaves no trace.
Decision PartsRunOn(const Node& node, Target target, const SymbolRanges& symbols,
                    const KernelCatalog& catalog, std::vector<std::string>* kernels) {
  NodeCopy copy = CopyNode(node);
  std::vector<Node*> work = {copy.node};
  for (size_t i = 0; i < work.size(); ++i) {
    Node* part = work[i];
    KernelAnswer answer;
    if (i > 0) answer = catalog.Find(*part, target, symbols);
    if (answer.kernel) {
      kernels->push_back(std::move(answer.kernel->name));
      continue;
    }
    if (!part->op().composite()) return Decision::Reject(std::move(answer.reason));
    absl::StatusOr<std::vector<Node*>> inner = Expand(copy.graph, part);
    if (!inner.ok()) return Decision::Reject(std::string(inner.status().message()));
    work.insert(work.end(), inner->begin(), inner->end());
  }
  return Decision::Accept();
}

}  // namespace

absl::StatusOr<TargetChoice> ChooseTarget(const Node& node, const SymbolRanges& symbols,
                                          const Policy& policy, const KernelCatalog& catalog,
                                          InParts in_parts, Fallback fallback) {
  ASSIGN_OR_RETURN(RuleChoice by, ChooseRule(policy, node, symbols));
  return ChooseTarget(std::move(by), node, symbols, catalog, in_parts, fallback);
}

absl::StatusOr<TargetChoice> ChooseTarget(RuleChoice by, const Node& node,
                                          const SymbolRanges& symbols, const KernelCatalog& catalog,
                                          InParts in_parts, Fallback fallback) {
  TargetChoice choice;
  choice.by = std::move(by);
  for (Target target : choice.by.rule->targets) {
    choice.target = target;
    KernelAnswer whole = catalog.Find(node, target, symbols);
    if (whole.kernel) {
      choice.kernel = std::move(whole.kernel);
      return choice;
    }
    Rejected::Code code = Rejected::Code::kUnavailable;
    if (catalog.WhyUnavailable(target).empty()) {
      code = Rejected::Code::kNoKernel;
      if (in_parts == InParts::kIfNotWhole && node.op().composite()) {
        choice.part_kernels.clear();
        Decision parts = PartsRunOn(node, target, symbols, catalog, &choice.part_kernels);
        if (parts.accepted()) return choice;
        StrAppend(&whole.reason, ", and its parts: ", parts.reason());
      }
    }
    choice.refused.push_back({target, code, std::move(whole.reason)});
    if (fallback == Fallback::kForbidden && choice.by.rule->targets.size() > 1) {
      return WithAdvice(absl::UnimplementedError(
                            StrCat("node ", DescribeNode(node), ": rule ", choice.by.rule->name,
                                   " wants it on ", Name(target), ": ", choice.refused.back().text,
                                   "; allow the rule to fall back to its other targets")),
                        {Advice::kFallback});
    }
  }
  std::string reasons;
  for (const Rejected& rejected : choice.refused) {
    StrAppend(&reasons, "; ", Name(rejected.target), ": ", rejected.text);
  }
  const std::string text = StrCat("node ", DescribeNode(node), ": no target of rule ",
                                  choice.by.rule->name, " runs it", reasons);
  const bool all_missing = std::ranges::all_of(choice.refused, [](const Rejected& rejected) {
    return rejected.code == Rejected::Code::kUnavailable;
  });
  return all_missing ? absl::UnavailableError(text) : absl::UnimplementedError(text);
}

}  // namespace infer
