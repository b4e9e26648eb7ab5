// SPDX-License-Identifier: Apache-2.0
#include "backends/test/test_backend.h"

#include <utility>

#include "backends/test/test_kernels.h"
#include "backends/test/test_segment.h"

namespace infer {

TestBackend::TestBackend(TestPace pace)
    : kernels_(std::vector<std::span<const CpuKernel>>{TestKernels()}), pace_(pace) {}

absl::StatusOr<std::unique_ptr<DeviceContext>> TestBackend::MakeContext(
    std::span<const MemorySpan>) const {
  return std::make_unique<TestContext>(pace_, &pending_);
}

absl::StatusOr<std::unique_ptr<CompiledSegment>> TestBackend::Prepare(
    std::vector<PreparedStep> steps, uint64_t) const {
  return std::make_unique<TestSegment>(std::move(steps), memory_.get());
}

}  // namespace infer
