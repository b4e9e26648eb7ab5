// SPDX-License-Identifier: Apache-2.0
//
// A state lies in one memory in all regimes, so targets that work in another memory cannot run the
// nodes that read and write it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/graph/graph.h"
#include "ir/policy/policy.h"
#include "ir/program/kernel_catalog.h"

namespace infer {

// The home space of each state, by its id.
using StateHomes = absl::flat_hash_map<int64_t, Device>;

// Returns for each state the space in which the policy would place all of its nodes in every
// regime; the cpu's space if these are several. `graph` is at stage bound.
StateHomes ChooseHomes(const Graph& graph, const Policy& policy, const KernelCatalog& catalog);

// A catalog whose kernels refuse states that are not in the memory they work in.
class HomedCatalog : public KernelCatalog {
 public:
  // Both must outlive this object.
  HomedCatalog(const KernelCatalog& catalog, const StateHomes& homes)
      : catalog_(catalog), homes_(homes) {}

  KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const override;
  std::vector<KernelFacts> FindAll(const Node& node, Target target,
                                   const SymbolRanges& symbols) const override;
  std::vector<RowLimits> LimitsOf(const Node& node, Target target) const override;
  std::string WhyUnavailable(Target target) const override {
    return catalog_.WhyUnavailable(target);
  }
  int64_t AutomaticRows(Target target) const override { return catalog_.AutomaticRows(target); }
  std::string_view KindOf(const Node& node) const override;
  Device SpaceOf(Device device) const override { return catalog_.SpaceOf(device); }
  std::string WhyTooLarge(Target target, uint64_t bytes) const override {
    return catalog_.WhyTooLarge(target, bytes);
  }

 private:
  // Returns the home of the state that the node reads or writes; unset if there is none.
  std::optional<Device> HomeOf(const Node& node) const;
  // Returns why no kernel of `target` can run the node; empty if one may.
  std::string WhyNot(const Node& node, Target target) const;

  const KernelCatalog& catalog_;
  const StateHomes& homes_;
};

}  // namespace infer
