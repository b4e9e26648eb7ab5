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

namespace infer {

// The device `cpu`, shared by the targets scalar, simd and parallel: their kernel tables joined,
// and a segment as a loop over resolved function pointers.
class CpuBackend : public Backend {
 public:
  // `no_simd`: why the target simd has no kernels, if it has none.
  explicit CpuBackend(std::span<const std::span<const CpuKernel>> tables,
                      std::span<const WeightLayout> layouts = {}, std::string no_simd = "");

  Device device() const override { return Device::kCpu; }
  std::span<const KernelInfo> kernels() const override { return infos_; }
  std::span<const WeightLayout> layouts() const override { return layouts_; }
  std::string WhyUnavailable(Target target) const override {
    return target == Target::kSimd ? no_simd_ : "";
  }
  absl::StatusOr<std::unique_ptr<CompiledSegment>> Prepare(
      std::vector<PreparedStep> steps) const override;

 private:
  std::vector<KernelInfo> infos_;
  std::span<const WeightLayout> layouts_;
  std::string no_simd_;
  std::unordered_map<std::string_view, const CpuKernel*> by_name_;
};

}  // namespace infer
