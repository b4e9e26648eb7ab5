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

absl::StatusOr<BoundKernel> CpuBackend::Bind(const Node& node, std::string_view kernel) const {
  auto found = by_name_.find(kernel);
  if (found == by_name_.end()) {
    return absl::UnimplementedError(StrCat("kernel ", kernel, " is not in this build"));
  }
  BoundKernel bound{.kernel = found->second};
  if (found->second->bind != nullptr) bound.constants = found->second->bind(node);
  return bound;
}

absl::StatusOr<std::unique_ptr<CompiledSegment>> CpuBackend::Prepare(
    std::vector<PreparedStep> steps, uint64_t scratch_stride) const {
  std::vector<CpuStep> resolved;
  bool sliced = false;
  for (PreparedStep& step : steps) {
    if (!step.bound) {  // a view: nothing to run, but it may have a barrier
      if (!resolved.empty()) resolved.back().barrier_after |= step.barrier_after;
      continue;
    }
    resolved.push_back({static_cast<const CpuKernel*>(step.bound.kernel),
                        std::move(step.bound.constants), step.node, step.mode, step.barrier_after,
                        step.number});
    sliced |= step.mode == StepMode::kSliced;
  }
  if (!sliced || options_.threads == nullptr) return MakeSerialSegment(std::move(resolved));
  return options_.threads->MakeSegment(std::move(resolved), scratch_stride);
}

}  // namespace infer
