// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/cpu_backend.h"

#include <utility>

#include "ir/strings.h"

namespace infer {
namespace {

struct CpuStep {
  const CpuKernel* kernel;
  const KernelArgs* args;
  const Node* node;
};

class CpuSegment : public CompiledSegment {
 public:
  explicit CpuSegment(std::vector<CpuStep> steps) : steps_(std::move(steps)) {}

  absl::Status Run(const RunContext& context) override {
    for (const CpuStep& step : steps_) {
      if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) {
        return absl::CancelledError("stopped");
      }
      for (const CpuPhase& phase : step.kernel->phases()) {
        int64_t units = UnitsOf(phase, *step.args);
        if (units > 0) phase.run(*step.args, 0, units);
      }
      if (context.observer != nullptr) context.observer->AfterStep(*step.node, *step.args);
    }
    return absl::OkStatus();
  }

 private:
  std::vector<CpuStep> steps_;
};

}  // namespace

CpuBackend::CpuBackend(std::span<const std::span<const CpuKernel>> tables,
                       std::span<const WeightLayout> layouts, std::string no_simd)
    : layouts_(layouts), no_simd_(std::move(no_simd)) {
  for (std::span<const CpuKernel> table : tables) {
    for (const CpuKernel& kernel : table) {
      infos_.push_back(kernel.info);
      by_name_.emplace(kernel.info.name, &kernel);
    }
  }
}

absl::StatusOr<std::unique_ptr<CompiledSegment>> CpuBackend::Prepare(
    std::vector<PreparedStep> steps) const {
  std::vector<CpuStep> resolved;
  for (const PreparedStep& step : steps) {
    if (step.kernel.empty()) continue;
    auto it = by_name_.find(step.kernel);
    if (it == by_name_.end()) {
      return absl::UnimplementedError(StrCat("kernel ", step.kernel, " is not in this build"));
    }
    resolved.push_back({it->second, step.args, step.node});
  }
  return std::make_unique<CpuSegment>(std::move(resolved));
}

}  // namespace infer
