// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backends/ranks/collective_kernels.h"
#include "runtime/backend.h"
#include "runtime/collective.h"

namespace infer {

// The device `ranks`: the other processes of a divided model. Its steps are collectives in the
// cpu's memory. Without a transport it can compile Programs but not run them.
class RanksBackend final : public Backend {
 public:
  RanksBackend() : RanksBackend(std::shared_ptr<Collective>()) {}
  // Ranks that can have memory in common (SharedRanks) exchange data there.
  explicit RanksBackend(std::shared_ptr<Collective> transport);

  // Makes collectives write and place their messages with these threads.
  void UseThreads(ParallelFor parallel_for) { link_.parallel_for = std::move(parallel_for); }

  Device device() const override { return Device::kRanks; }
  std::string Description() const override;
  std::span<const KernelInfo> kernels() const override { return kernels_; }
  Collective* collective() const override { return transport_.get(); }
  absl::StatusOr<BoundKernel> Bind(const Node& node, std::string_view kernel) const override;
  absl::StatusOr<std::unique_ptr<DeviceContext>> MakeContext(
      std::span<const MemorySpan> memory) const override;
  absl::StatusOr<std::unique_ptr<CompiledSegment>> Prepare(std::vector<PreparedStep> steps,
                                                           uint64_t scratch_stride) const override;

 private:
  std::shared_ptr<Collective> transport_;
  RankLink link_;
  std::vector<KernelInfo> kernels_;
};

}  // namespace infer
