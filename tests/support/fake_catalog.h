// SPDX-License-Identifier: Apache-2.0
//
// A machine for tests of passes: which kernels it has is said by the test.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/program/kernel_catalog.h"

namespace infer::testing {

// Has a kernel "<op>_<target>" for every primitive op on scalar, and for what a test adds. Each
// setter returns the catalog, so that one is made in one expression.
class FakeCatalog : public KernelCatalog {
 public:
  // `target` runs `op`.
  FakeCatalog& Add(std::string_view op, Target target);
  // `target` does not run `op`, for this reason.
  FakeCatalog& Refuse(std::string_view op, Target target, std::string reason);
  // The kernel of `op` on `target`, which must be there, takes up to so many rows: a node whose
  // first result can have more is refused.
  FakeCatalog& LimitRows(std::string_view op, Target target, int64_t max_rows);
  // Both ends: a node whose first result can have fewer or more is refused.
  FakeCatalog& LimitRows(std::string_view op, Target target, Range rows);
  // Nothing runs on `target`, for this reason.
  FakeCatalog& SetUnavailable(Target target, std::string why);
  // Metal works in the cpu's memory.
  FakeCatalog& ShareMemory() {
    shares_memory_ = true;
    return *this;
  }
  FakeCatalog& SetWorkspace(std::string_view op, Target target, uint64_t bytes);
  // kRows: units are rows of the result, and of inputs with its type; other domains: units touch
  // anything. What runs on parallel is cut into tiles without this.
  FakeCatalog& SetDomain(std::string_view op, Target target, PartitionDomain domain);
  FakeCatalog& SetWeightLayout(std::string_view op, Target target, std::string layout);

  KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const override;
  std::vector<RowLimits> LimitsOf(const Node& node, Target target) const override;
  std::string WhyUnavailable(Target target) const override;
  Device SpaceOf(Device device) const override { return shares_memory_ ? Device::kCpu : device; }

 private:
  using Key = std::pair<std::string, Target>;
  KernelFacts& Kernel(std::string_view op, Target target);
  // The kernel apart from its rows, or why there is none.
  Partition PartitionFor(const Node& node, Target target) const;
  KernelAnswer FindForAnyRows(const Node& node, Target target) const;

  std::vector<std::string> LayoutsFor(const Node& node, Target target) const;

  std::map<Key, KernelFacts> kernels_;
  std::map<Key, std::string> refusals_;
  std::map<Target, std::string> unavailable_;
  bool shares_memory_ = false;
  std::map<Key, PartitionDomain> domains_;
  std::map<Key, std::string> layouts_;  // of all weights of a node
};

}  // namespace infer::testing
