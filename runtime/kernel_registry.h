// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/program/kernel_catalog.h"
#include "runtime/backend.h"

namespace infer {

// Name of the kernel of nodes that compute nothing: their result is their input's memory.
inline constexpr std::string_view kViewKernel = "view";

// Whether the kernel runs the node for all values of the symbols in their ranges.
Decision Takes(const KernelInfo& kernel, const Node& node, const SymbolRanges& symbols);

// All back ends of this machine. Answers passes ("which kernel would run this node there, or why
// none") and gives the executor the back end of a device.
class KernelRegistry : public KernelCatalog {
 public:
  // `why_missing` says of devices without a back end why they have none and what to do about it.
  explicit KernelRegistry(std::vector<std::unique_ptr<Backend>> backends,
                          std::map<Device, std::string> why_missing = {});

  // Of several kernels that would do, the first in its back end's table.
  KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const override {
    return Find(node, target, symbols, Policy::Activations::kAuto);
  }
  std::vector<RowLimits> LimitsOf(const Node& node, Target target) const override {
    return LimitsOf(node, target, Policy::Activations::kAuto);
  }
  std::string WhyUnavailable(Target target) const override;
  int64_t AutomaticRows(Target target) const override;
  Device SpaceOf(Device device) const override;
  // The memory of a space that a device of this registry works in.
  MemorySpace& memory(Device space) const;
  std::string WhyTooLarge(Target target, uint64_t bytes) const override;
  const KernelCatalog& For(Policy::Activations activations) const override;

  // nullptr if this machine has no such device.
  const Backend* backend(Device device) const;
  // nullptr if no back end has a kernel of that name.
  const KernelInfo* kernel(std::string_view name) const;
  // Why that kernel cannot be used on this machine; empty if it can.
  std::string WhyNot(const KernelInfo& kernel) const;
  // All kernels that turned out not to work, of all devices.
  std::vector<KernelFailure> Failures() const;
  // nullptr if no back end has a layout of that name.
  const WeightLayout* layout(std::string_view name) const;

  // Held during a call: the threads of the back ends run one call at a time.
  std::mutex& call_mutex() const { return call_mutex_; }

 private:
  // Asks the registry for kernels that leave activations in f32.
  class FloatActivations : public KernelCatalog {
   public:
    explicit FloatActivations(const KernelRegistry* registry) : registry_(registry) {}
    KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const override;
    std::vector<RowLimits> LimitsOf(const Node& node, Target target) const override;
    std::string WhyUnavailable(Target target) const override {
      return registry_->WhyUnavailable(target);
    }
    int64_t AutomaticRows(Target target) const override { return registry_->AutomaticRows(target); }
    Device SpaceOf(Device device) const override { return registry_->SpaceOf(device); }
    std::string WhyTooLarge(Target target, uint64_t bytes) const override {
      return registry_->WhyTooLarge(target, bytes);
    }

   private:
    const KernelRegistry* registry_;
  };

  KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols,
                    Policy::Activations activations) const;
  std::vector<RowLimits> LimitsOf(const Node& node, Target target,
                                  Policy::Activations activations) const;

  // WhyNot as an answer.
  Decision Works(const KernelInfo& kernel) const;

  FloatActivations float_activations_{this};
  mutable std::mutex call_mutex_;
  std::vector<std::unique_ptr<Backend>> backends_;
  std::map<Device, std::string> why_missing_;
  std::unordered_map<std::string_view, const KernelInfo*> by_name_;
  std::unordered_map<const OpDef*, std::vector<const KernelInfo*>> by_op_;
};

}  // namespace infer
