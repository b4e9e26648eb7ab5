// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/program/kernel_catalog.h"

namespace infer {

// A catalog that offers, for nodes of one kind (op, types, attributes), only kernels of one
// numerics class in all regimes. The class is the first that the policy's targets for the most
// tokens offer and that every other regime has too.
class InvariantCatalog : public KernelCatalog {
 public:
  // `regimes` are the ranges between which the answers of `catalog` change, in ascending order. All
  // must outlive this object.
  InvariantCatalog(const KernelCatalog& catalog, const Policy& policy,
                   std::vector<SymbolRanges> regimes)
      : catalog_(catalog), policy_(policy), regimes_(std::move(regimes)) {}

  KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const override;
  std::vector<RowLimits> LimitsOf(const Node& node, Target target) const override {
    return catalog_.LimitsOf(node, target);
  }
  std::string WhyUnavailable(Target target) const override {
    return catalog_.WhyUnavailable(target);
  }
  int64_t AutomaticRows(Target target) const override { return catalog_.AutomaticRows(target); }
  Device SpaceOf(Device device) const override { return catalog_.SpaceOf(device); }
  std::string WhyTooLarge(Target target, uint64_t bytes) const override {
    return catalog_.WhyTooLarge(target, bytes);
  }
  std::string_view KindOf(const Node& node) const override { return catalog_.KindOf(node); }

 private:
  // Returns the class of the node's kind; empty if there is none that all regimes have.
  const std::string& ClassOf(const Node& node) const;
  std::string ChooseClass(const Node& node) const;
  // Returns the first class that is offered at `first` and in all regimes.
  std::string CommonClass(const Node& node, const SymbolRanges& first) const;
  // Returns the classes that the targets of the node's rule offer, in order of preference.
  std::vector<std::string> Offered(const Node& node, const SymbolRanges& symbols) const;

  const KernelCatalog& catalog_;
  const Policy& policy_;
  std::vector<SymbolRanges> regimes_;
  mutable std::map<std::string, std::string> classes_;  // by kind
};

}  // namespace infer
