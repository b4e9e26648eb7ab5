// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/cpu_backend.h"

#include <utility>

#include "ir/base/strings.h"

namespace infer {

CpuBackend::CpuBackend(std::span<const std::span<const CpuKernel>> tables,
                       CpuBackendOptions options)
    : options_(std::move(options)) {
  for (std::span<const CpuKernel> table : tables) {
    for (const CpuKernel& kernel : table) {
      infos_.push_back(kernel.info);
      by_name_.emplace(kernel.info.name, &kernel);
    }
  }
}

absl::StatusOr<std::unique_ptr<CompiledSegment>> CpuBackend::Prepare(
    std::vector<PreparedStep> steps, const SegmentMemory& memory) const {
  std::vector<CpuStep> resolved;
  bool sliced = false;
  for (const PreparedStep& step : steps) {
    if (step.kernel.empty()) {  // a view: nothing to run, but threads may have to meet there
      if (!resolved.empty()) resolved.back().barrier_after |= step.barrier_after;
      continue;
    }
    auto it = by_name_.find(step.kernel);
    if (it == by_name_.end()) {
      return absl::UnimplementedError(StrCat("kernel ", step.kernel, " is not in this build"));
    }
    resolved.push_back(
        {it->second, step.args, step.node, step.mode, step.barrier_after, step.number});
    sliced |= step.mode == StepMode::kSliced;
  }
  if (!sliced || options_.threads == nullptr) return MakeSerialSegment(std::move(resolved));
  return options_.threads->MakeSegment(std::move(resolved), memory.scratch_stride);
}

}  // namespace infer
