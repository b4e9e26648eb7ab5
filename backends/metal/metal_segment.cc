// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/metal_segment.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/verify/verifier.h"

namespace infer::metal {
namespace {

constexpr NS::UInteger kArgumentsIndex = 0;

bool WantsToStop(const RunContext& context) {
  return context.stop != nullptr && context.stop->load(std::memory_order_relaxed);
}

absl::Status Stopped() { return absl::CancelledError("stopped"); }

MTL::Size SizeOf(const Grid& grid) { return MTL::Size(grid.x, grid.y, grid.z); }

// The GPU's clock may differ from ours: its time is used as a duration that ends with the wait.
StepEvent EventOf(const MTL::CommandBuffer* commands, int64_t committed_ns, int64_t done_ns) {
  const double seconds = commands->GPUEndTime() - commands->GPUStartTime();
  const int64_t gpu_ns =
      std::clamp<int64_t>(static_cast<int64_t>(seconds * 1e9), 0, done_ns - committed_ns);
  return {.start_ns = done_ns - gpu_ns, .end_ns = done_ns, .wait_end_ns = done_ns};
}

// Error codes are meaningful only together with their domain.
NS::Integer CommandBufferCodeOf(const NS::Error* error) {
  if (error == nullptr || error->domain() == nullptr) return 0;
  const std::string_view domain = error->domain()->utf8String();
  return domain == "MTLCommandBufferErrorDomain" ? error->code() : 0;
}

// The display watchdog ends long work with a driver code (14) that has no name in metal-cpp; it is
// recognised by this word in its message.
constexpr std::string_view kWatchdogWord = "ImpactingInteractivity";

absl::Status ErrorOf(const NS::Error* error, const std::string& where, std::string_view hint) {
  const std::string text = StrCat("metal: ", where, ": ", TextOf(error), hint);
  const NS::Integer code = CommandBufferCodeOf(error);
  if (code == static_cast<NS::Integer>(MTL::CommandBufferErrorOutOfMemory)) {
    return absl::ResourceExhaustedError(
        StrCat(text, "; make the context shorter or place fewer nodes on metal"));
  }
  if (code == static_cast<NS::Integer>(MTL::CommandBufferErrorTimeout) ||
      text.find(kWatchdogWord) != std::string::npos) {
    return WithAdvice(absl::DeadlineExceededError(
                          StrCat(text, "; the system ends work that keeps the display waiting: ",
                                 "use fewer tokens per call for shorter command buffers")),
                      {Advice::kChunk});
  }
  return absl::InternalError(text);
}

}  // namespace

absl::Status MetalSegment::Run(const RunContext& context, const SegmentCall& segment_call) const {
  if (steps_.empty()) return absl::OkStatus();  // only views
  auto* memory = static_cast<MetalMemory*>(segment_call.device);
  if (memory == nullptr) return absl::InternalError("metal: the call has no device context");
  Pool pool;
  const Batch& host_batch = *segment_call.args[steps_.front().number].batch;
  ASSIGN_OR_RETURN(const DeviceBatch batch, memory->Upload(host_batch));
  const Call call{segment_call.args, memory, batch, memory->call_dispatches().dispatches,
                  memory->call_dispatches().step_of};
  if (context.observer != nullptr || context.events != nullptr) return RunOneByOne(context, call);
  return RunTogether(context, call);
}

void MetalSegment::AddDispatches(size_t step, const Call& call) const {
  const KernelArgs& args = call.args[steps_[step].number];
  steps_[step].kernel->dispatch(args, call.batch, device_->device_class(), call.dispatches);
  call.step_of.resize(call.dispatches.size(), step);
}

// The next command buffer is encoded while one runs, and committed when that one is done: the
// buffers are untracked, so the system would let the two overlap.
absl::Status MetalSegment::RunTogether(const RunContext& context, const Call& call) const {
  call.dispatches.clear();
  call.step_of.clear();
  for (size_t i = 0; i < steps_.size(); ++i) AddDispatches(i, call);
  const std::vector<bool> barriers = BarriersBefore(call.dispatches);
  const std::vector<size_t> cuts =
      CutCommandBuffers(call.dispatches, device_->device_class().command_buffer_flops);
  Ref<MTL::CommandBuffer> running;
  Range running_range;
  for (size_t i = 0; i < cuts.size(); ++i) {
    const Range range = {cuts[i], i + 1 < cuts.size() ? cuts[i + 1] : call.dispatches.size()};
    absl::StatusOr<Ref<MTL::CommandBuffer>> next = Encode(call, range, barriers);
    if (running) RETURN_IF_ERROR(Finish(call, running.get(), running_range));
    RETURN_IF_ERROR(next.status());
    if (WantsToStop(context)) return Stopped();
    (*next)->commit();
    running = *std::move(next);
    running_range = range;
  }
  return running ? Finish(call, running.get(), running_range) : absl::OkStatus();
}

absl::Status MetalSegment::RunOneByOne(const RunContext& context, const Call& call) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (WantsToStop(context)) return Stopped();
    Pool pool;
    const MetalStep& step = steps_[i];
    call.dispatches.clear();
    call.step_of.clear();
    AddDispatches(i, call);
    const Range range = {0, call.dispatches.size()};
    ASSIGN_OR_RETURN(Ref<MTL::CommandBuffer> commands,
                     Encode(call, range, BarriersBefore(call.dispatches)));
    const int64_t committed_ns = StepClockNs();
    commands->commit();
    RETURN_IF_ERROR(Finish(call, commands.get(), range));
    if (context.events != nullptr) {
      context.events->thread(0)[step.number] = EventOf(commands.get(), committed_ns, StepClockNs());
      context.events->CountRows(step.number, call.args[step.number]);
    }
    if (context.observer != nullptr)
      context.observer->AfterStep(*step.node, call.args[step.number]);
  }
  return absl::OkStatus();
}

absl::StatusOr<Ref<MTL::CommandBuffer>> MetalSegment::Encode(
    const Call& call, Range range, const std::vector<bool>& barriers) const {
  Ref<MTL::CommandBuffer> commands =
      NS::RetainPtr(device_->queue()->commandBufferWithUnretainedReferences());
  if (!commands) return absl::ResourceExhaustedError("metal: could not create a command buffer");
  MTL::ComputeCommandEncoder* encoder =
      commands->computeCommandEncoder(MTL::DispatchTypeConcurrent);
  if (encoder == nullptr) return absl::ResourceExhaustedError("metal: could not create an encoder");
  absl::Status status;
  for (size_t i = range.begin; i < range.end && status.ok(); ++i) {
    if (barriers[i] && i > range.begin) encoder->memoryBarrier(MTL::BarrierScopeBuffers);
    status = EncodeDispatch(call, i, encoder);
    if (!status.ok()) {
      status =
          absl::Status(status.code(),
                       ToAbsl(StrCat("metal: ", Describe(call, i), ": ", ToStd(status.message()))));
    }
  }
  encoder->endEncoding();  // an encoder must not be destroyed while open
  RETURN_IF_ERROR(status);
  return commands;
}

absl::Status MetalSegment::EncodeDispatch(const Call& call, size_t number,
                                          MTL::ComputeCommandEncoder* encoder) const {
  const Dispatch& dispatch = call.dispatches[number];
  const MTL::ComputePipelineState* pipeline =
      steps_[call.step_of[number]].pipelines.Find(dispatch.pipeline);
  if (pipeline == nullptr) {
    return absl::InternalError(
        StrCat("the pipeline of ", dispatch.pipeline.function, " was not created at load"));
  }
  const Grid& threads = dispatch.threads;
  const uint64_t group = uint64_t{threads.x} * threads.y * threads.z;
  if (group > pipeline->maxTotalThreadsPerThreadgroup()) {
    return absl::UnavailableError(StrCat(dispatch.pipeline.function, " needs groups of ", group,
                                         " threads, the device ", "runs it with up to ",
                                         pipeline->maxTotalThreadsPerThreadgroup()));
  }
  encoder->setComputePipelineState(pipeline);
  if (!dispatch.arguments.empty()) {
    encoder->setBytes(dispatch.arguments.data(), dispatch.arguments.size(), kArgumentsIndex);
  }
  for (const Binding& binding : dispatch.bindings) {
    const std::optional<BufferPlace> place = call.memory->Find(binding.data, binding.bytes);
    if (!place) {
      return absl::InternalError(StrCat("buffer ", binding.index, " of ", binding.bytes,
                                        " bytes is not in memory that was given to the device"));
    }
    encoder->setBuffer(place->buffer, place->offset, static_cast<NS::UInteger>(binding.index));
  }
  if (dispatch.threadgroup_bytes > 0) {
    encoder->setThreadgroupMemoryLength(dispatch.threadgroup_bytes, 0);
  }
  encoder->dispatchThreadgroups(SizeOf(dispatch.groups), SizeOf(threads));
  return absl::OkStatus();
}

absl::Status MetalSegment::Finish(const Call& call, MTL::CommandBuffer* commands,
                                  Range range) const {
  commands->waitUntilCompleted();
  if (commands->status() != MTL::CommandBufferStatusError) return absl::OkStatus();
  std::string where;
  std::string_view hint;
  if (range.end > range.begin) {
    where = Describe(call, range.begin);
    if (call.step_of[range.begin] != call.step_of[range.end - 1]) {
      where = StrCat("one of the steps from ", where, " to ", Describe(call, range.end - 1));
      hint =
          "; the system does not say which; recording a trace runs one step at a time and names "
          "the "
          "one that fails";
    }
  }
  return ErrorOf(commands->error(), where, hint);
}

std::string MetalSegment::Describe(const Call& call, size_t dispatch) const {
  const MetalStep& step = steps_[call.step_of[dispatch]];
  return StrCat("node ", DescribeNode(*step.node), ", kernel ", step.kernel->info.name);
}

}  // namespace infer::metal
