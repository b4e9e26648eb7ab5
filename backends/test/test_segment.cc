// SPDX-License-Identifier: Apache-2.0
#include "backends/test/test_segment.h"

#include <cstring>
#include <utility>

#include "backends/test/test_context.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/node_name.h"

namespace infer {
namespace {

uint64_t BytesOf(const TensorView& tensor) {
  return BytesFor(tensor.dtype, tensor.elements()).value_or(0);
}

}  // namespace

TestSegment::TestSegment(std::vector<PreparedStep> steps, const TestMemory* memory)
    : steps_(std::move(steps)), memory_(memory) {
  std::erase_if(steps_, [](const PreparedStep& step) { return !step.is_copy() && !step.bound; });
}

absl::Status TestSegment::Run(const RunContext& context, const SegmentCall& call) const {
  auto* queue = static_cast<TestContext*>(call.device);
  queue->Enqueue([this, context, args = call.args] { return Walk(context, args); });
  return absl::OkStatus();
}

absl::Status TestSegment::Walk(const RunContext& context, std::span<const KernelArgs> args) const {
  for (const PreparedStep& step : steps_) {
    if (WantsToStop(context)) return Stopped();
    const int64_t start_ns = StepClockNs();
    const KernelArgs& of_step = args[step.number];
    RETURN_IF_ERROR(step.is_copy() ? CopyValue(of_step.in(0), of_step.out(0))
                                   : RunKernel(step, context, of_step));
    if (context.events == nullptr) continue;
    const int64_t end_ns = StepClockNs();
    context.events->thread(0)[step.number] = {start_ns, end_ns, end_ns, 0};
  }
  return absl::OkStatus();
}

absl::Status TestSegment::CopyValue(const TensorView& from, const TensorView& to) const {
  const uint64_t bytes = BytesOf(from);
  const std::byte* here = memory_->Find(from.data, bytes);
  std::byte* there = memory_->Find(to.data, bytes);
  if ((here == nullptr) == (there == nullptr)) {
    return absl::InternalError("test: a copy must be between the cpu's memory and the device's");
  }
  std::memcpy(there == nullptr ? to.data : there, here == nullptr ? from.data : here, bytes);
  return absl::OkStatus();
}

absl::StatusOr<Operand> TestSegment::Translate(const PreparedStep& step,
                                               const Operand& operand) const {
  Operand real = operand;
  bool found = true;
  if (operand.tensor.data != nullptr) {
    real.tensor.data = memory_->Find(operand.tensor.data, BytesOf(operand.tensor));
    found = real.tensor.data != nullptr;
  }
  if (operand.kv.k != nullptr) {
    real.kv.k = memory_->Find(operand.kv.k, 1);
    real.kv.v = memory_->Find(operand.kv.v, 1);
    found = real.kv.k != nullptr && real.kv.v != nullptr;
  }
  if (found) return real;
  return absl::InternalError(
      StrCat("test: ", NodeName(*step.node), " was passed memory that is not the device's"));
}

absl::Status TestSegment::RunKernel(const PreparedStep& step, const RunContext& context,
                                    const KernelArgs& args) const {
  std::vector<Operand> operands;
  operands.reserve(args.inputs.size() + args.outputs.size());
  for (std::span<const Operand> side : {args.inputs, args.outputs}) {
    for (const Operand& operand : side) {
      ASSIGN_OR_RETURN(Operand real, Translate(step, operand));
      operands.push_back(real);
    }
  }
  KernelArgs real = args;
  real.inputs = std::span(operands).first(args.inputs.size());
  real.outputs = std::span(operands).subspan(args.inputs.size());
  real.workspace = memory_->Find(args.workspace, 1);
  real.scratch = memory_->Find(args.scratch, 1);
  RunWhole(*static_cast<const CpuKernel*>(step.bound.kernel), real);
  if (context.observer != nullptr) context.observer->AfterStep(*step.node, real);
  return absl::OkStatus();
}

}  // namespace infer
