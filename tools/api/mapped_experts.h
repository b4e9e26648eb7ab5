// SPDX-License-Identifier: Apache-2.0
//
// Experts that stay in the mapped file: packed, they would have to be in memory all at once, also
// those that nobody uses.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/program/kernel_catalog.h"
#include "tools/api/machine_memory.h"

namespace infer {

// A catalog without the kernels that read packed experts.
class MappedExpertsCatalog : public KernelCatalog {
 public:
  // `whole` must outlive it and must be the result of For(): this catalog cannot handle a request
  // about activations.
  explicit MappedExpertsCatalog(const KernelCatalog& whole) : whole_(whole) {}

  KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const override;
  std::vector<KernelFacts> FindAll(const Node& node, Target target,
                                   const SymbolRanges& symbols) const override;
  std::vector<RowLimits> LimitsOf(const Node& node, Target target) const override {
    return whole_.LimitsOf(node, target);
  }
  std::string WhyUnavailable(Target target) const override { return whole_.WhyUnavailable(target); }
  int64_t AutomaticRows(Target target) const override { return whole_.AutomaticRows(target); }
  Device SpaceOf(Device device) const override { return whole_.SpaceOf(device); }
  std::string WhyTooLarge(Target target, uint64_t bytes) const override {
    return whole_.WhyTooLarge(target, bytes);
  }
  std::string_view KindOf(const Node& node) const override { return whole_.KindOf(node); }

 private:
  const KernelCatalog& whole_;
};

// Returns why the experts of the graph should stay in the file: `bytes_to_hold`, weights and cache,
// do not fit into the memory or into the limit of the control group. Empty if they fit,
// or the graph has no experts, or the memory is unknown.
std::string WhyExpertsStayMapped(const Graph& graph, uint64_t bytes_to_hold,
                                 const MachineMemory& memory);

}  // namespace infer
