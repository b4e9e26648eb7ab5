// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_catalog.h"

#include "ir/base/strings.h"
#include "ir/graph/graph.h"

namespace infer::test {
namespace {

KernelFacts FactsFor(std::string_view op, Target target) {
  KernelFacts facts;
  facts.name = StrCat(op, "_", Name(target));
  return facts;
}

}  // namespace

KernelFacts& FakeCatalog::Kernel(std::string_view op, Target target) {
  return kernels_.try_emplace({std::string(op), target}, FactsFor(op, target)).first->second;
}

FakeCatalog& FakeCatalog::Add(std::string_view op, Target target) {
  Kernel(op, target);
  return *this;
}

FakeCatalog& FakeCatalog::Refuse(std::string_view op, Target target, std::string reason) {
  refusals_[{std::string(op), target}] = std::move(reason);
  return *this;
}

FakeCatalog& FakeCatalog::LimitRows(std::string_view op, Target target, int64_t max_rows) {
  Kernel(op, target).max_rows = max_rows;
  return *this;
}

FakeCatalog& FakeCatalog::LimitRows(std::string_view op, Target target, Range rows) {
  Kernel(op, target).min_rows = rows.min;
  Kernel(op, target).max_rows = rows.max;
  return *this;
}

FakeCatalog& FakeCatalog::SetUnavailable(Target target, std::string why) {
  unavailable_[target] = std::move(why);
  return *this;
}

std::string FakeCatalog::WhyUnavailable(Target target) const {
  auto why = unavailable_.find(target);
  return why == unavailable_.end() ? "" : why->second;
}

FakeCatalog& FakeCatalog::SetWorkspace(std::string_view op, Target target, uint64_t bytes) {
  Kernel(op, target).record.workspace_bytes = bytes;
  return *this;
}

FakeCatalog& FakeCatalog::SetNumerics(std::string_view op, Target target, std::string numerics) {
  Kernel(op, target).record.numerics = std::move(numerics);
  return *this;
}

FakeCatalog& FakeCatalog::SetDomain(std::string_view op, Target target, PartitionDomain domain) {
  Kernel(op, target);
  domains_[{std::string(op), target}] = domain;
  return *this;
}

FakeCatalog& FakeCatalog::SetWeightLayout(std::string_view op, Target target, std::string layout) {
  Kernel(op, target);
  layouts_[{std::string(op), target}] = std::move(layout);
  return *this;
}

FakeCatalog& FakeCatalog::TakeRounded(std::string_view op, Target target) {
  takes_rounded_.insert({std::string(op), target});
  return *this;
}

KernelAnswer FakeCatalog::FindForAnyRows(const Node& node, Target target) const {
  if (std::string why = WhyUnavailable(target); !why.empty()) return {std::nullopt, why};
  Key key = {std::string(node.op().name), target};
  if (auto refusal = refusals_.find(key); refusal != refusals_.end()) {
    return {std::nullopt, refusal->second};
  }
  const int product = node.op().traits.product_input;
  if (product >= 0 && !node.input(product).type().is_tensor(DType::kF32) &&
      !takes_rounded_.contains(key)) {
    return {std::nullopt, StrCat(node.op().name, " reads f32")};
  }
  if (auto kernel = kernels_.find(key); kernel != kernels_.end()) return {kernel->second, ""};
  if (target == Target::kScalar && !node.op().composite()) {
    return {FactsFor(node.op().name, target), ""};
  }
  return {std::nullopt, StrCat("no ", Name(target), " kernel for ", node.op().name)};
}

Partition FakeCatalog::PartitionFor(const Node& node, Target target) const {
  auto domain = domains_.find({std::string(node.op().name), target});
  if (node.op().traits.view || (domain == domains_.end() && target != Target::kParallel)) return {};
  Partition partition;
  partition.domain = domain == domains_.end() ? PartitionDomain::kTiles : domain->second;
  partition.extent.c0 = 1;
  if (partition.domain != PartitionDomain::kRows) return partition;
  const ValueType& result = node.result().type;
  Shape rows;
  for (int axis = 0; axis + 1 < result.rank(); ++axis) rows.Append(result.dim(axis));
  partition.extent = CountElements(rows).value();
  partition.own_results = {0};
  for (int i = 0; i < static_cast<int>(node.inputs().size()); ++i) {
    if (node.input(i).type() == result) partition.own_inputs.push_back(i);
  }
  return partition;
}

std::vector<std::string> FakeCatalog::LayoutsFor(const Node& node, Target target) const {
  auto found = layouts_.find({std::string(node.op().name), target});
  std::vector<std::string> layouts;
  bool any = false;
  for (Value input : node.inputs()) {
    const bool weight = input.node->op().traits.weight;
    any |= weight;
    layouts.push_back(!weight ? "" : found == layouts_.end() ? "gguf" : found->second);
  }
  return any ? layouts : std::vector<std::string>();
}

KernelAnswer FakeCatalog::Find(const Node& node, Target target, const SymbolRanges& symbols) const {
  KernelAnswer answer = FindForAnyRows(node, target);
  if (answer.kernel) {
    answer.kernel->record.weight_layouts = LayoutsFor(node, target);
    answer.kernel->record.partition = PartitionFor(node, target);
  }
  const ValueType* type = RowsType(node);
  if (!answer.kernel || type == nullptr) return answer;
  int64_t least = type->dim(0).At(symbols.Lowest());
  int64_t most = type->dim(0).At(symbols.Highest());
  if (most > answer.kernel->max_rows) {
    return {std::nullopt, StrCat(answer.kernel->name, " takes up to ", answer.kernel->max_rows,
                                 " rows, not ", most)};
  }
  if (least < answer.kernel->min_rows) {
    return {std::nullopt, StrCat(answer.kernel->name, " takes ", answer.kernel->min_rows,
                                 " rows or more, not ", least)};
  }
  return answer;
}

std::vector<RowLimits> FakeCatalog::LimitsOf(const Node& node, Target target) const {
  KernelAnswer answer = FindForAnyRows(node, target);
  if (!answer.kernel) return {};
  return {{answer.kernel->name, answer.kernel->min_rows, answer.kernel->max_rows}};
}

}  // namespace infer::test
