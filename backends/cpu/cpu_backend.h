// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backends/cpu/cpu_kernel.h"
#include "runtime/backend.h"
#include "runtime/thread_team.h"

namespace infer {

class TbbThreads;

struct CpuBackendOptions {
  std::span<const WeightLayout> layouts = {};
  std::string no_simd = {};  // why simd and parallel have no kernels, if they have none
  // Who runs sliced steps; neither: one thread runs everything.
  std::unique_ptr<ThreadTeam> team = {};
  std::shared_ptr<TbbThreads> tbb = {};
};

// The device `cpu`, shared by the targets scalar, simd and parallel: their kernel tables joined,
// and a segment as a loop over resolved function pointers.
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
  int threads() const override;
  void Pause() const override {
    if (options_.team) options_.team->Pause();
  }
  std::vector<uint64_t> WaitNs() const override {
    return options_.team ? options_.team->WaitNs() : std::vector<uint64_t>();
  }
  absl::StatusOr<std::unique_ptr<CompiledSegment>> Prepare(
      std::vector<PreparedStep> steps, const SegmentMemory& memory) const override;

 private:
  std::vector<KernelInfo> infos_;
  CpuBackendOptions options_;
  std::unordered_map<std::string_view, const CpuKernel*> by_name_;
};

}  // namespace infer
