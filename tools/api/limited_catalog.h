// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/program/kernel_catalog.h"

namespace infer {

// A machine without one of its targets, for a reason that depends on the model.
class LimitedCatalog : public KernelCatalog {
 public:
  // `whole` must outlive it and must be the result of For(): this catalog cannot handle a request
  // about activations.
  LimitedCatalog(const KernelCatalog& whole, Target target, std::string why)
      : whole_(whole), target_(target), why_(std::move(why)) {}

  KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const override {
    if (target == target_) return {std::nullopt, why_};
    return whole_.Find(node, target, symbols);
  }
  std::vector<KernelFacts> FindAll(const Node& node, Target target,
                                   const SymbolRanges& symbols) const override {
    if (target == target_) return {};
    return whole_.FindAll(node, target, symbols);
  }
  std::vector<RowLimits> LimitsOf(const Node& node, Target target) const override {
    if (target == target_) return {};
    return whole_.LimitsOf(node, target);
  }
  std::string WhyUnavailable(Target target) const override {
    return target == target_ ? why_ : whole_.WhyUnavailable(target);
  }
  int64_t AutomaticRows(Target target) const override {
    return target == target_ ? 0 : whole_.AutomaticRows(target);
  }
  Device SpaceOf(Device device) const override { return whole_.SpaceOf(device); }
  std::string WhyTooLarge(Target target, uint64_t bytes) const override {
    return whole_.WhyTooLarge(target, bytes);
  }

 private:
  const KernelCatalog& whole_;
  Target target_;
  std::string why_;
};

}  // namespace infer
