// SPDX-License-Identifier: Apache-2.0
//
// A machine for tests of passes; the test decides which kernels it has.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/program/kernel_catalog.h"

namespace infer::test {

// Has a kernel "<op>_<target>" for every primitive op on scalar, plus those that a test adds. Each
// setter returns the catalog, so that one expression can build it.
class FakeCatalog : public KernelCatalog {
 public:
  // Makes `target` run `op`.
  FakeCatalog& Add(std::string_view op, Target target);
  // Makes `target` refuse `op`, for this reason.
  FakeCatalog& Refuse(std::string_view op, Target target, std::string reason);
  // Limits the kernel of `op` on `target`, which must exist, to `max_rows` rows: a node whose first
  // result can have more is refused.
  FakeCatalog& LimitRows(std::string_view op, Target target, int64_t max_rows);
  // Limits both ends: a node whose first result can have fewer or more rows is refused.
  FakeCatalog& LimitRows(std::string_view op, Target target, Range rows);
  // Makes `target` run nothing, for this reason.
  FakeCatalog& SetUnavailable(Target target, std::string why);
  // Makes Metal work in the CPU's memory.
  FakeCatalog& ShareMemory() {
    shares_memory_ = true;
    return *this;
  }
  FakeCatalog& SetWorkspace(std::string_view op, Target target, uint64_t bytes);
  // With kRows, units are rows of the result and of inputs of the same type; with any other domain,
  // units may touch anything. By default, kernels on parallel are cut into tiles.
  FakeCatalog& SetDomain(std::string_view op, Target target, PartitionDomain domain);
  FakeCatalog& SetNumerics(std::string_view op, Target target, std::string numerics);
  // Makes the kernel of a product take rows of bf16 too.
  FakeCatalog& TakeRounded(std::string_view op, Target target);
  FakeCatalog& SetWeightLayout(std::string_view op, Target target, std::string layout);

  KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const override;
  std::vector<RowLimits> LimitsOf(const Node& node, Target target) const override;
  std::string WhyUnavailable(Target target) const override;
  Device SpaceOf(Device device) const override { return shares_memory_ ? Device::kCpu : device; }

 private:
  using Key = std::pair<std::string, Target>;
  KernelFacts& Kernel(std::string_view op, Target target);
  Partition PartitionFor(const Node& node, Target target) const;
  // Returns the kernel without checking its row limits, or why there is none.
  KernelAnswer FindForAnyRows(const Node& node, Target target) const;

  std::vector<std::string> LayoutsFor(const Node& node, Target target) const;

  std::map<Key, KernelFacts> kernels_;
  std::map<Key, std::string> refusals_;
  std::map<Target, std::string> unavailable_;
  bool shares_memory_ = false;
  std::map<Key, PartitionDomain> domains_;
  std::map<Key, std::string> layouts_;  // for all weights of a node
  std::set<Key> takes_rounded_;
};

}  // namespace infer::test
