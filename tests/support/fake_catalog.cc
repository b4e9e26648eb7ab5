// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_catalog.h"

#include "ir/strings.h"

namespace infer::testing {
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

FakeCatalog& FakeCatalog::SetWorkspace(std::string_view op, Target target, uint64_t bytes) {
  Kernel(op, target).workspace_bytes = bytes;
  return *this;
}

FakeCatalog& FakeCatalog::SetWeightLayout(std::string_view op, Target target, std::string layout) {
  Kernel(op, target).weight_layout = std::move(layout);
  return *this;
}

KernelAnswer FakeCatalog::Find(const Node& node, Target target, const SymbolRanges& symbols) const {
  Key key = {std::string(node.op().name), target};
  if (auto refusal = refusals_.find(key); refusal != refusals_.end()) {
    return {std::nullopt, refusal->second};
  }
  KernelFacts facts = FactsFor(node.op().name, target);
  if (auto kernel = kernels_.find(key); kernel != kernels_.end()) {
    facts = kernel->second;
  } else if (target != Target::kScalar || node.op().composite()) {
    return {std::nullopt, StrCat("no ", Name(target), " kernel for ", node.op().name)};
  }
  const ValueType& type = node.result().type;
  int64_t rows = type.rank() == 0 ? 1 : type.dim(0).At(symbols.Highest());
  if (rows > facts.max_rows) {
    return {std::nullopt, StrCat(facts.name, " takes up to ", facts.max_rows, " rows, not ", rows)};
  }
  return {std::move(facts), ""};
}

}  // namespace infer::testing
