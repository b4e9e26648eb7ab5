// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/support.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "ir/base/strings.h"
#include "passes/choose_target.h"
#include "tools/report/program_view.h"

namespace infer {
namespace {

void AddOnce(std::string text, std::vector<std::string>* to) {
  if (std::ranges::find(*to, text) == to->end()) to->push_back(std::move(text));
}

std::string LimitsText(const RowLimits& limits) {
  if (limits.max_rows == std::numeric_limits<int64_t>::max()) {
    return StrCat(limits.kernel, " from ", limits.min_rows, " rows");
  }
  return StrCat(limits.kernel, " for ", limits.min_rows, " to ", limits.max_rows, " rows");
}

void Merge(SupportCell from, SupportCell* into) {
  into->how = std::min(into->how, from.how);
  for (std::string& kernel : from.kernels) AddOnce(std::move(kernel), &into->kernels);
  for (std::string& reason : from.reasons) AddOnce(std::move(reason), &into->reasons);
}

std::string TypesOf(const Node& node) {
  std::string text = WeightTypesText(node);
  for (const ValueType& type : node.InputTypes()) {
    if (type.kind != TypeKind::kKv) continue;
    return StrCat(text, text.empty() ? "" : " ", "kv ", Name(type.tensor.dtype));
  }
  return text;
}

// Returns everything by which a kernel can tell two nodes apart, so that each kind is asked about
// once.
std::string KindOf(const Node& node) {
  std::string kind(node.op().name);
  for (const Value& input : node.inputs()) {
    StrAppend(&kind, " ", ToString(input.type()), input.node->op().traits.weight ? "w" : "");
  }
  for (const Attr& attr : node.attrs()) StrAppend(&kind, " ", ToString(attr));
  return kind;
}

class MatrixBuilder {
 public:
  explicit MatrixBuilder(const KernelCatalog& catalog) : catalog_(catalog) {}

  void Add(const Node& node, const SymbolRanges& symbols, bool counts) {
    auto [it, is_new] = rows_.try_emplace({std::string(node.op().name), TypesOf(node)});
    SupportRow& row = it->second;
    row.nodes += counts;
    if (!seen_.insert(KindOf(node)).second) return;
    for (Target target : kUserTargets) {
      Merge(SupportOf(node, target, symbols, catalog_), &row.cells[static_cast<size_t>(target)]);
    }
  }

  std::vector<SupportRow> Finish() {
    std::vector<SupportRow> rows;
    for (auto& [key, row] : rows_) {
      row.op = key.first;
      row.types = key.second;
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  const KernelCatalog& catalog_;
  std::map<std::pair<std::string, std::string>, SupportRow> rows_;
  std::set<std::string> seen_;
};

}  // namespace

SupportCell SupportOf(const Node& node, Target target, const SymbolRanges& symbols,
                      const KernelCatalog& catalog) {
  SupportCell cell;
  KernelAnswer whole = catalog.Find(node, target, symbols);
  if (whole.kernel) {
    cell.kernels.push_back(std::move(whole.kernel->name));
    return cell;
  }
  std::vector<RowLimits> limits = catalog.LimitsOf(node, target);
  if (!limits.empty()) {
    cell.how = SupportCell::How::kSomeRows;
    for (const RowLimits& limit : limits) {
      cell.kernels.push_back(limit.kernel);
      cell.reasons.push_back(LimitsText(limit));
    }
    return cell;
  }
  Policy only;
  only.name = "support";
  only.rules.emplace_back();
  only.rules[0].name = "only";
  only.rules[0].targets = {target};
  absl::StatusOr<TargetChoice> choice =
      ChooseTarget(node, symbols, only, catalog, InParts::kIfNotWhole);
  if (choice.ok()) {
    cell.how = SupportCell::How::kInParts;
    for (std::string& kernel : choice->part_kernels) AddOnce(std::move(kernel), &cell.kernels);
  } else {
    cell.how = SupportCell::How::kNo;
  }
  cell.reasons.push_back(std::move(whole.reason));
  return cell;
}

SupportMatrix MakeSupportMatrix(const Graph& fused, const Program& program,
                                const KernelCatalog& catalog) {
  MatrixBuilder builder(catalog.For(program.policy.activations));
  for (const Node* node : fused.nodes()) {
    if (IsExecuted(*node)) builder.Add(*node, program.symbols, true);
  }
  for (const Regime& regime : program.regimes) {
    for (const Node* node : regime.graph.nodes()) {
      if (IsExecuted(*node)) builder.Add(*node, program.symbols, false);
    }
  }
  return {ModelText(program.model), builder.Finish()};
}

std::string_view Name(SupportCell::How how) {
  switch (how) {
    case SupportCell::How::kNo:
      return "no";
    case SupportCell::How::kSomeRows:
      return "some rows";
    case SupportCell::How::kInParts:
      return "in parts";
    case SupportCell::How::kWhole:
      return "whole";
  }
  return "no";
}

}  // namespace infer
