// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_backend.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "backends/cuda/cuda_context.h"
#include "backends/cuda/cuda_memory.h"
#include "backends/cuda/cuda_segment.h"
#include "backends/cuda/weight_types.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::cuda {
namespace {

// Kept free for the driver, its modules and the queues.
constexpr uint64_t kReservedBytes = 512 << 20;

class CudaBackend : public Backend {
 public:
  CudaBackend(std::shared_ptr<CudaDevice> device, std::span<const PtxModule> modules, bool emulated)
      : device_(std::move(device)),
        memory_(std::make_shared<CudaMemory>(device_)),
        modules_(std::make_shared<CudaModules>(device_, modules)),
        emulated_(emulated) {
    for (const CudaKernel& kernel : CudaKernels()) {
      infos_.push_back(kernel.info);
      by_name_.emplace(kernel.info.name, &kernel);
    }
  }

  Device device() const override { return Device::kCuda; }
  std::shared_ptr<MemorySpace> memory() const override { return memory_; }
  std::string Description() const override { return ToText(device_->facts()); }
  bool emulated() const override { return emulated_; }
  int64_t automatic_rows() const override { return emulated_ ? 0 : 1; }
  std::span<const KernelInfo> kernels() const override { return infos_; }
  std::span<const WeightLayout> layouts() const override { return WeightLayouts(); }

  std::string WhyNot(std::string_view kernel) const override {
    const std::lock_guard lock(mutex_);
    auto found = failures_.find(kernel);
    return found == failures_.end() ? std::string() : found->second;
  }

  std::vector<KernelFailure> Failures() const override {
    const std::lock_guard lock(mutex_);
    std::vector<KernelFailure> all;
    for (const auto& [kernel, text] : failures_) all.push_back({kernel, text});
    return all;
  }

  std::string WhyTooLarge(uint64_t bytes) const override {
    const DeviceFacts& facts = device_->facts();
    const uint64_t most = facts.free_bytes - std::min(facts.free_bytes, kReservedBytes);
    if (bytes <= most) return {};
    return absl::StrFormat(
        "%.2f GiB of weights, activations and cache are more than the %.2f GiB that %s has free",
        bytes / kGibibyte, most / kGibibyte, facts.name);
  }

  absl::Status Load(std::span<const RegimeNode> nodes) const override {
    std::map<std::string, std::string> failed;
    for (const RegimeNode& node : nodes) {
      const std::string& name = node.node->placement()->kernel;
      auto kernel = by_name_.find(name);
      // The Executable reports kernels that are missing.
      if (kernel == by_name_.end() || failed.contains(name)) continue;
      std::vector<std::string_view> modules;
      kernel->second->modules(*node.node, modules);
      for (std::string_view module : modules) {
        absl::Status status = modules_->Load(module);
        if (!status.ok()) failed[name] = std::string(ToStd(status.message()));
      }
    }
    if (failed.empty()) return absl::OkStatus();
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const auto& [kernel, why] : failed) {
      StrAppend(&text, text.empty() ? "" : "; ", "kernel ", kernel, " does not work here: ", why);
      failures_[kernel] = why;
    }
    return absl::UnavailableError(StrCat("cuda: ", text));
  }

  absl::StatusOr<BoundKernel> Bind(const Node& node, std::string_view kernel) const override {
    auto found = by_name_.find(kernel);
    if (found == by_name_.end()) {
      return absl::UnimplementedError(StrCat("kernel ", kernel, " is not in this build"));
    }
    BoundKernel bound{.kernel = found->second};
    if (found->second->bind != nullptr) bound.constants = found->second->bind(node);
    return bound;
  }

  absl::StatusOr<std::unique_ptr<DeviceContext>> MakeContext(
      std::span<const MemorySpan> memory) const override {
    return CudaContext::Create(device_, memory);
  }

  absl::StatusOr<std::unique_ptr<CompiledSegment>> Prepare(std::vector<PreparedStep> steps,
                                                           uint64_t) const override {
    std::vector<CudaStep> resolved;
    for (PreparedStep& step : steps) {
      if (!step.is_copy() && !step.bound) continue;  // a view
      resolved.push_back({.kernel = static_cast<const CudaKernel*>(step.bound.kernel),
                          .constants = std::move(step.bound.constants),
                          .node = step.node,
                          .number = step.number,
                          .to_device = step.copied_to == Device::kCuda});
    }
    return std::make_unique<CudaSegment>(std::move(resolved), modules_);
  }

 private:
  std::shared_ptr<CudaDevice> device_;
  std::shared_ptr<CudaMemory> memory_;
  std::shared_ptr<CudaModules> modules_;
  bool emulated_;
  std::vector<KernelInfo> infos_;
  absl::flat_hash_map<std::string_view, const CudaKernel*> by_name_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string, std::less<>> failures_;  // message by kernel
};

}  // namespace

std::unique_ptr<Backend> MakeCudaBackend(std::shared_ptr<CudaDevice> device,
                                         std::span<const PtxModule> modules, bool emulated) {
  return std::make_unique<CudaBackend>(std::move(device), modules, emulated);
}

}  // namespace infer::cuda
