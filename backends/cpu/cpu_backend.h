// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backends/cpu/cpu_kernel.h"
#include "backends/cpu/cpu_segment.h"
#include "runtime/backend.h"

namespace infer {

struct CpuBackendOptions {
  std::span<const WeightLayout> layouts = {};
  std::string no_simd = {};                  // why simd and parallel have no kernels, if so
  std::unique_ptr<CpuThreads> threads = {};  // for sliced steps; null: one thread runs everything
};

// The device `cpu`, shared by the targets scalar, simd and parallel: combines their kernel tables
// and runs a segment as a loop over resolved function pointers.
class CpuBackend : public Backend {
 public:
  explicit CpuBackend(std::span<const std::span<const CpuKernel>> tables,
                      CpuBackendOptions options = {});

  Device device() const override { return Device::kCpu; }
  std::span<const KernelInfo> kernels() const override { return infos_; }
  std::span<const WeightLayout> layouts() const override { return options_.layouts; }
  std::string WhyUnavailable(Target target) const override {
    return target == Target::kSimd || target == Target::kParallel ? options_.no_simd : "";
  }
  int threads() const override { return options_.threads ? options_.threads->threads() : 1; }
  void For(int64_t count, const std::function<void(int64_t)>& body) const override {
    if (options_.threads == nullptr) return SerialFor(count, body);
    options_.threads->For(count, body);
  }
  void Pause() const override {
    if (options_.threads) options_.threads->Pause();
  }
  std::vector<uint64_t> WaitNs() const override {
    return options_.threads ? options_.threads->WaitNs() : std::vector<uint64_t>();
  }
  absl::StatusOr<BoundKernel> Bind(const Node& node, std::string_view kernel) const override;
  absl::StatusOr<std::unique_ptr<CompiledSegment>> Prepare(std::vector<PreparedStep> steps,
                                                           uint64_t scratch_stride) const override;

 private:
  std::vector<KernelInfo> infos_;
  CpuBackendOptions options_;
  std::unordered_map<std::string_view, const CpuKernel*> by_name_;
};

}  // namespace infer
