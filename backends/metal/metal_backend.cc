// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/metal_backend.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "backends/metal/dispatch.h"
#include "backends/metal/metal_device.h"
#include "backends/metal/metal_memory.h"
#include "backends/metal/metal_pipelines.h"
#include "backends/metal/metal_segment.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::metal {
namespace {

class MetalBackend : public Backend {
 public:
  explicit MetalBackend(const MetalBackendOptions& options)
      : options_(options),
        device_(MetalDevice::Open(options.device_class)),
        pipelines_(device_, options.metallibs) {
    for (const MetalKernel& kernel : MetalKernels()) {
      infos_.push_back(kernel.info);
      by_name_.emplace(kernel.info.name, &kernel);
    }
  }

  Device device() const override { return Device::kMetal; }
  std::span<const KernelInfo> kernels() const override { return infos_; }
  bool emulated() const override { return options_.emulated; }
  int64_t automatic_rows() const override {
    if (device_ == nullptr || options_.emulated) return 0;
    return device_->device_class().placement_rows;
  }

  std::string Description() const override {
    if (device_ == nullptr) return {};
    return ToText(device_->facts());
  }

  std::string WhyUnavailable(Target) const override {
    if (device_ == nullptr) return "the system has no Metal device";
    return WhyUnsuitable(device_->facts());
  }

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
    const uint64_t most = device_ == nullptr ? 0 : device_->facts().working_set;
    if (most == 0 || bytes <= most) return {};
    return absl::StrFormat(
        "%.2f GiB of weights, activations and cache are more than the %.2f GiB that the device "
        "keeps in memory at once (recommendedMaxWorkingSetSize)",
        bytes / kGibibyte, most / kGibibyte);
  }

  absl::Status Load(std::span<const RegimeNode> nodes) const override {
    RETURN_IF_ERROR(CheckDevice());
    std::map<std::string, std::string> failed;
    for (const RegimeNode& node : nodes) {
      const std::string& name = node.node->placement()->kernel;
      auto kernel = by_name_.find(name);
      // The Executable reports kernels that are missing.
      if (kernel == by_name_.end() || failed.contains(name)) continue;
      absl::Status status = LoadKernel(*kernel->second, node);
      if (!status.ok()) failed[name] = std::string(ToStd(status.message()));
    }
    if (failed.empty()) return absl::OkStatus();
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const auto& [kernel, why] : failed) {
      StrAppend(&text, text.empty() ? "" : "; ", "kernel ", kernel, " does not work here: ", why);
      failures_[kernel] = why;
    }
    return absl::UnavailableError(StrCat("metal: ", text));
  }

  absl::StatusOr<std::unique_ptr<DeviceContext>> MakeContext(
      std::span<const MemorySpan> spans) const override {
    RETURN_IF_ERROR(CheckDevice());
    return MetalMemory::Create(device_, spans);
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

  absl::StatusOr<std::unique_ptr<CompiledSegment>> Prepare(std::vector<PreparedStep> steps,
                                                           uint64_t) const override {
    RETURN_IF_ERROR(CheckDevice());
    std::vector<MetalStep> resolved;
    for (PreparedStep& step : steps) {
      if (!step.bound) continue;  // a view
      const auto& kernel = *static_cast<const MetalKernel*>(step.bound.kernel);
      MetalStep& made =
          resolved.emplace_back(&kernel, std::move(step.bound.constants), step.node, step.number);
      for (PipelineKey& key : PipelinesOf(kernel, {step.node, step.symbols})) {
        ASSIGN_OR_RETURN(const MTL::ComputePipelineState* pipeline, pipelines_.Get(key));
        made.pipelines.made.push_back({std::move(key), pipeline});
      }
    }
    return std::make_unique<MetalSegment>(std::move(resolved), device_);
  }

 private:
  absl::Status CheckDevice() const {
    std::string why = WhyUnavailable(Target::kMetal);
    return why.empty() ? absl::OkStatus() : absl::UnavailableError(StrCat("metal: ", why));
  }

  // Returns all pipelines that the node may need in its regime.
  std::vector<PipelineKey> PipelinesOf(const MetalKernel& kernel, const RegimeNode& node) const {
    std::vector<PipelineKey> keys;
    kernel.pipelines(*node.node, node.symbols, device_->device_class(), keys);
    return keys;
  }

  absl::Status LoadKernel(const MetalKernel& kernel, const RegimeNode& node) const {
    for (const PipelineKey& key : PipelinesOf(kernel, node)) {
      RETURN_IF_ERROR(pipelines_.Get(key).status());
    }
    return absl::OkStatus();
  }

  MetalBackendOptions options_;
  std::shared_ptr<MetalDevice> device_;
  std::vector<KernelInfo> infos_;
  absl::flat_hash_map<std::string_view, const MetalKernel*> by_name_;
  mutable MetalPipelines pipelines_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string, std::less<>> failures_;  // message by kernel
};

}  // namespace

std::string BuiltMetallibs() {
#ifdef INFER_METALLIB_DIR
  return INFER_METALLIB_DIR;
#else
  return {};
#endif
}

std::unique_ptr<Backend> MakeMetalBackend(const MetalBackendOptions& options) {
  return std::make_unique<MetalBackend>(options);
}

}  // namespace infer::metal
