// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/cpu_backend.h"

#include <utility>

#include "backends/cpu/cpu_segment.h"
#include "backends/parallel/tbb_segment.h"
#include "ir/strings.h"

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

int CpuBackend::threads() const {
  if (options_.tbb) return options_.tbb->threads();
  return options_.team ? options_.team->threads() : 1;
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
  if (sliced && options_.tbb) {
    return MakeTbbSegment(std::move(resolved), options_.tbb.get(), memory.scratch_stride);
  }
  if (!sliced || options_.team == nullptr) return MakeSerialSegment(std::move(resolved));
  return MakeTeamSegment(std::move(resolved), options_.team.get(), memory.scratch_stride);
}

}  // namespace infer
