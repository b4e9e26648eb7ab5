// SPDX-License-Identifier: Apache-2.0
//
// Layers repeat, so each kind of node is looked up once, and equal answers are stored once.
#include "passes/collect_kernel_choices.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "passes/expand.h"

namespace infer {
namespace {

class KernelChoiceCollector {
 public:
  KernelChoiceCollector(const KernelCatalog& catalog, Program* program)
      : catalog_(catalog), program_(*program) {
    for (const TargetRecord& record : kTargets) {
      if (catalog.WhyUnavailable(record.target).empty()) targets_.push_back(record.target);
    }
  }

  // Returns the node's position in Program::kernel_choices.
  absl::StatusOr<int32_t> Add(const Node& node, const SymbolRanges& symbols) {
    std::string kind = StrCat(KindText(node), " ", catalog_.KindOf(node));
    if (auto known = by_kind_.find(kind); known != by_kind_.end()) return known->second;
    KernelChoice choice;
    if (const ValueType* rows = RowsType(node)) choice.rows = rows->dim(0);
    for (Target target : targets_) AddKernels(node, target, symbols, &choice);
    if (node.op().composite()) RETURN_IF_ERROR(AddParts(node, symbols, &choice));
    int32_t at = PositionOf(std::move(choice));
    by_kind_.emplace(std::move(kind), at);
    return at;
  }

 private:
  void AddKernels(const Node& node, Target target, const SymbolRanges& symbols,
                  KernelChoice* choice) {
    std::vector<RowLimits> limits = catalog_.LimitsOf(node, target);
    if (limits.empty()) {  // views run on almost every target without a kernel
      if (RecordOf(target).runs_only_collectives) return;
      KernelAnswer answer = catalog_.Find(node, target, symbols);
      if (!answer.kernel) return;
      limits = {{answer.kernel->name, answer.kernel->min_rows, answer.kernel->max_rows}};
    }
    for (RowLimits& of : limits) {
      KernelCandidate kernel = {std::move(of.kernel), std::string(node.op().name), target,
                                of.min_rows, of.max_rows};
      auto [at, is_new] = kernels_.try_emplace({kernel.name, kernel.op, target},
                                               static_cast<int32_t>(program_.kernels.size()));
      if (is_new) program_.kernels.push_back(std::move(kernel));
      choice->kernels.push_back(at->second);
    }
  }

  absl::Status AddParts(const Node& node, const SymbolRanges& symbols, KernelChoice* choice) {
    NodeCopy copy = CopyNode(node);
    ASSIGN_OR_RETURN(std::vector<Node*> parts, Expand(copy.graph, copy.node));
    for (const Node* part : parts) {
      if (!IsExecuted(*part)) continue;
      ASSIGN_OR_RETURN(int32_t at, Add(*part, symbols));
      choice->parts.push_back(at);
    }
    std::ranges::sort(choice->parts);
    auto again = std::ranges::unique(choice->parts);
    choice->parts.erase(again.begin(), again.end());
    return absl::OkStatus();
  }

  int32_t PositionOf(KernelChoice choice) {
    std::tuple key = {ToString(choice.rows), choice.kernels, choice.parts};
    auto [at, is_new] = known_choices_.try_emplace(
        std::move(key), static_cast<int32_t>(program_.kernel_choices.size()));
    if (is_new) program_.kernel_choices.push_back(std::move(choice));
    return at->second;
  }

  const KernelCatalog& catalog_;
  Program& program_;
  std::vector<Target> targets_;
  std::map<std::string, int32_t> by_kind_;
  std::map<std::tuple<std::string, std::string, Target>, int32_t> kernels_;
  std::map<std::tuple<std::string, std::vector<int32_t>, std::vector<int32_t>>, int32_t>
      known_choices_;
};

}  // namespace

absl::Status CollectKernelChoices(const KernelCatalog& catalog, Program* program) {
  KernelChoiceCollector collector(catalog, program);
  for (Regime& regime : program->regimes) {
    for (const Node* node : regime.graph.nodes()) {
      if (!node->placement()) continue;
      ASSIGN_OR_RETURN(int32_t at, collector.Add(*node, regime.graph.symbols()));
      regime.kernel_choices.push_back(at);
    }
  }
  return absl::OkStatus();
}

std::string KindText(const Node& node) {
  std::string kind(node.op().name);
  for (const Value& input : node.inputs()) {
    StrAppend(&kind, " ", ToString(input.type()), input.node->op().traits.weight ? "w" : "");
  }
  for (const Attr& attr : node.attrs()) StrAppend(&kind, " ", ToString(attr));
  for (const ValueType& type : node.ResultTypes()) StrAppend(&kind, ":", ToString(type));
  return kind;
}

}  // namespace infer
