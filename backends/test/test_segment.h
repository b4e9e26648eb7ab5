// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/cpu/cpu_segment.h"
#include "backends/test/test_memory.h"
#include "runtime/backend.h"

namespace infer {

// Submits its steps to the queue of the call.
class TestSegment : public CompiledSegment {
 public:
  // `memory` must outlive this object.
  TestSegment(std::vector<PreparedStep> steps, const TestMemory* memory);

  absl::Status Run(const RunContext& context, const SegmentCall& call) const override;

 private:
  absl::Status Walk(const RunContext& context, std::span<const KernelArgs> args) const;
  absl::Status RunKernel(const PreparedStep& step, const RunContext& context,
                         const KernelArgs& args) const;
  absl::Status CopyValue(const TensorView& from, const TensorView& to) const;
  // Returns the operand with the real address of its bytes.
  absl::StatusOr<Operand> Translate(const PreparedStep& step, const Operand& operand) const;

  std::vector<PreparedStep> steps_;
  const TestMemory* memory_;
};

}  // namespace infer
