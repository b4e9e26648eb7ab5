// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "backends/cpu/cpu_backend.h"
#include "backends/test/test_context.h"
#include "backends/test/test_memory.h"

namespace infer {

// The device `test`; README.md explains its purpose.
class TestBackend : public Backend {
 public:
  explicit TestBackend(TestPace pace = TestPace::kEager);

  Device device() const override { return Device::kTest; }
  std::shared_ptr<MemorySpace> memory() const override { return memory_; }
  std::string Description() const override { return "scalar kernels in a memory of their own"; }
  bool emulated() const override { return true; }
  std::span<const KernelInfo> kernels() const override { return kernels_.kernels(); }
  absl::StatusOr<BoundKernel> Bind(const Node& node, std::string_view kernel) const override {
    return kernels_.Bind(node, kernel);
  }
  absl::StatusOr<std::unique_ptr<DeviceContext>> MakeContext(
      std::span<const MemorySpan> memory) const override;
  absl::StatusOr<std::unique_ptr<CompiledSegment>> Prepare(std::vector<PreparedStep> steps,
                                                           uint64_t scratch_stride) const override;

  // Bytes allocated at the moment, and jobs that queues have not completed.
  uint64_t bytes() const { return memory_->bytes(); }
  int64_t pending() const { return pending_; }

 private:
  CpuBackend kernels_;  // finds and binds kernels; never runs them
  TestPace pace_;
  mutable std::atomic<int64_t> pending_ = 0;
  std::shared_ptr<TestMemory> memory_ = std::make_shared<TestMemory>();
};

}  // namespace infer
