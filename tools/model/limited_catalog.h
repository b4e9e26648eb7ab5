// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/kernel_catalog.h"

namespace infer {

// A machine without one of its targets, for a reason that has to do with the model at hand.
class LimitedCatalog : public KernelCatalog {
 public:
  // `whole` must outlive it.
  LimitedCatalog(const KernelCatalog& whole, Target target, std::string why)
      : whole_(whole), target_(target), why_(std::move(why)) {}

  KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const override {
    if (target == target_) return {std::nullopt, why_};
    return whole_.Find(node, target, symbols);
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
  const KernelCatalog& For(Policy::Activations activations) const override {
    const KernelCatalog& same = whole_.For(activations);
    if (&same == &whole_) return *this;
    if (other_ == nullptr) other_ = std::make_unique<LimitedCatalog>(same, target_, why_);
    return *other_;
  }

 private:
  const KernelCatalog& whole_;
  Target target_;
  std::string why_;
  mutable std::unique_ptr<LimitedCatalog> other_;  // for kernels with activations in f32
};

}  // namespace infer
