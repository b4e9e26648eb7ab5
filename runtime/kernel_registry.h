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

// Kernel name of nodes that compute nothing: their result is the memory of their input.
inline constexpr std::string_view kViewKernel = "view";

// Whether the kernel can run the node for all symbol values in these ranges.
Decision Takes(const KernelInfo& kernel, const Node& node, const SymbolRanges& symbols);

// Holds all back ends of this machine. Tells passes which kernel would run a node on a target, or
// why none can, and gives the executor the back end of a device.
class KernelRegistry : public KernelCatalog {
 public:
  // `why_missing` says why a device has no back end here and what to do about it.
  explicit KernelRegistry(std::vector<std::unique_ptr<Backend>> backends,
                          std::map<Device, std::string> why_missing = {});

  // When several kernels qualify, the first in its back end's table is chosen.
  KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const override {
    return Find(node, target, symbols, Policy::Activations::kAuto);
  }
  std::vector<KernelFacts> FindAll(const Node& node, Target target,
                                   const SymbolRanges& symbols) const override {
    return FindAll(node, target, symbols, Policy::Activations::kAuto);
  }
  std::vector<RowLimits> LimitsOf(const Node& node, Target target) const override {
    return LimitsOf(node, target, Policy::Activations::kAuto);
  }
  std::string WhyUnavailable(Target target) const override;
  int64_t AutomaticRows(Target target) const override;
  Device SpaceOf(Device device) const override;
  // The memory of a space in which a device of this registry works.
  std::shared_ptr<MemorySpace> memory(Device space) const;
  std::string WhyTooLarge(Target target, uint64_t bytes) const override;
  const KernelCatalog& For(Policy::Activations activations) const override;

  // Returns nullptr if this machine has no such device.
  const Backend* backend(Device device) const;
  // The connection to the other ranks of a divided model; null if this process runs alone.
  Collective* collective() const;
  // Returns nullptr if no back end has a kernel of that name.
  const KernelInfo* kernel(std::string_view name) const;
  // Why the kernel cannot be used on this machine; empty if it can.
  std::string WhyNot(const KernelInfo& kernel) const;
  // All kernels that failed to load, of all devices.
  std::vector<KernelFailure> Failures() const;
  // Returns nullptr if no back end has a layout of that name.
  const WeightLayout* layout(std::string_view name) const;

  // Held during a call: the back ends' threads run one call at a time.
  std::mutex& call_mutex() const { return call_mutex_; }

 private:
  // Restricts the registry to kernels that keep activations in f32.
  class FloatActivations : public KernelCatalog {
   public:
    explicit FloatActivations(const KernelRegistry* registry) : registry_(registry) {}
    KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const override;
    std::vector<KernelFacts> FindAll(const Node& node, Target target,
                                     const SymbolRanges& symbols) const override;
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
  std::vector<KernelFacts> FindAll(const Node& node, Target target, const SymbolRanges& symbols,
                                   Policy::Activations activations) const;
  std::vector<RowLimits> LimitsOf(const Node& node, Target target,
                                  Policy::Activations activations) const;

  // WhyNot as a Decision.
  Decision Works(const KernelInfo& kernel) const;

  FloatActivations float_activations_{this};
  mutable std::mutex call_mutex_;
  std::vector<std::unique_ptr<Backend>> backends_;
  std::map<Device, std::string> why_missing_;
  std::unordered_map<std::string_view, const KernelInfo*> by_name_;
  std::unordered_map<const OpDef*, std::vector<const KernelInfo*>> by_op_;
};

}  // namespace infer
