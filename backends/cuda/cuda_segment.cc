// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_segment.h"

#include <algorithm>
#include <utility>

#include "backends/cuda/cuda_memory.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/verify/verifier.h"

namespace infer::cuda {
namespace {

bool WantsToStop(const RunContext& context) {
  return context.stop != nullptr && context.stop->load(std::memory_order_relaxed);
}

uint64_t BytesOf(const TensorView& tensor) {
  return BytesFor(tensor.dtype, tensor.elements()).value_or(0);
}

std::string Describe(const CudaStep& step) {
  if (step.kernel == nullptr) return "a copy";
  return StrCat("node ", DescribeNode(*step.node), ", kernel ", step.kernel->info.name);
}

}  // namespace

CudaSegment::CudaSegment(std::vector<CudaStep> steps, std::shared_ptr<CudaModules> modules)
    : steps_(std::move(steps)), modules_(std::move(modules)) {
  if (steps_.empty()) return;
  description_ = steps_.size() == 1 ? Describe(steps_.front())
                                    : StrCat("one of the steps from ", Describe(steps_.front()),
                                             " to ", Describe(steps_.back()));
}

absl::Status CudaSegment::Run(const RunContext& context, const SegmentCall& call) const {
  if (steps_.empty()) return absl::OkStatus();  // only views
  auto* queue = static_cast<CudaContext*>(call.device);
  if (queue == nullptr) return absl::InternalError("cuda: the call has no device context");
  if (WantsToStop(context)) return absl::CancelledError("stopped");
  RETURN_IF_ERROR(queue->device().MakeCurrent());
  queue->set_submitted(description_.c_str());
  if (context.observer != nullptr || context.events != nullptr) {
    return RunOneByOne(context, call, *queue);
  }
  return RunTogether(call, *queue);
}

absl::Status CudaSegment::RunTogether(const SegmentCall& call, CudaContext& queue) const {
  for (size_t i = 0; i < steps_.size();) {
    if (steps_[i].kernel == nullptr) {
      RETURN_IF_ERROR(Copy(steps_[i++], call, queue));
      continue;
    }
    size_t end = i + 1;
    while (end < steps_.size() && steps_[end].kernel != nullptr) ++end;
    RETURN_IF_ERROR(SubmitKernels(i, end, call, queue));
    i = end;
  }
  return absl::OkStatus();
}

absl::Status CudaSegment::SubmitKernels(size_t begin, size_t end, const SegmentCall& call,
                                        CudaContext& queue) const {
  const Batch& batch = *queue.device_batch().host;
  const CudaContext::GraphKey key = {this, begin, std::ssize(batch.token_pos),
                                     std::ssize(batch.out_rows), HasPrompt(batch)};
  // The first call also makes the driver load the functions, which it may not do while recording.
  if (!IsRecordable(batch) || !queue.device().has_graphs() || queue.IsFirst(key)) {
    for (size_t i = begin; i < end; ++i) RETURN_IF_ERROR(LaunchStep(steps_[i], call, queue));
    return absl::OkStatus();
  }
  if (queue.graph(key) == nullptr) RETURN_IF_ERROR(RecordGraph(key, begin, end, call, queue));
  const Result result = queue.device().driver().cuGraphLaunch(queue.graph(key), queue.stream());
  if (result == kSuccess) return absl::OkStatus();
  return queue.device().Check(result, StrCat("launching ", description_));
}

absl::Status CudaSegment::RecordGraph(const CudaContext::GraphKey& key, size_t begin, size_t end,
                                      const SegmentCall& call, CudaContext& queue) const {
  const CudaDevice& device = queue.device();
  const Driver& driver = device.driver();
  RETURN_IF_ERROR(device.Check(driver.cuStreamBeginCapture_v2(queue.stream(), kCaptureThreadLocal),
                               "recording a graph"));
  absl::Status status;
  for (size_t i = begin; i < end && status.ok(); ++i) status = LaunchStep(steps_[i], call, queue);
  GraphHandle* graph = nullptr;
  status.Update(
      device.Check(driver.cuStreamEndCapture(queue.stream(), &graph), "recording a graph"));
  GraphExecHandle* executable = nullptr;
  if (status.ok()) {
    status = device.Check(driver.cuGraphInstantiateWithFlags(&executable, graph, 0),
                          "preparing a graph");
  }
  if (graph != nullptr) driver.cuGraphDestroy(graph);
  RETURN_IF_ERROR(status);
  queue.graph(key) = executable;
  return absl::OkStatus();
}

absl::Status CudaSegment::LaunchStep(const CudaStep& step, const SegmentCall& call,
                                     CudaContext& queue) const {
  std::vector<Launch>& launches = queue.launches();
  launches.clear();
  step.kernel->launch(call.args[step.number], queue.device_batch(), launches);
  const CudaDevice& device = queue.device();
  for (Launch& launch : launches) {
    ASSIGN_OR_RETURN(FunctionHandle * function, modules_->Get(launch));
    void* parameters[] = {launch.arguments.data()};
    Result result = kSuccess;
    if (device.has_dependent_launch()) {
      LaunchAttribute early = {.id = kProgrammaticSerialization};
      early.value.allowed = 1;
      const LaunchConfig config = {.grid_x = launch.blocks.x,
                                   .grid_y = launch.blocks.y,
                                   .grid_z = launch.blocks.z,
                                   .block_x = launch.threads,
                                   .shared_bytes = launch.shared_bytes,
                                   .stream = queue.stream(),
                                   .attributes = &early,
                                   .num_attributes = 1};
      result = device.driver().cuLaunchKernelEx(&config, function, parameters, nullptr);
    } else {
      result = device.driver().cuLaunchKernel(
          function, launch.blocks.x, launch.blocks.y, launch.blocks.z, launch.threads, 1, 1,
          launch.shared_bytes, queue.stream(), parameters, nullptr);
    }
    if (result == kSuccess) continue;
    return device.Check(result, StrCat("launching ", launch.function, " for ", Describe(step)));
  }
  return absl::OkStatus();
}

absl::Status CudaSegment::Copy(const CudaStep& step, const SegmentCall& call,
                               CudaContext& queue) const {
  const KernelArgs& args = call.args[step.number];
  const Driver& driver = queue.device().driver();
  const uint64_t bytes = BytesOf(args.in(0));
  const Result result =
      step.to_device ? driver.cuMemcpyHtoDAsync_v2(AddressOf(args.out().data), args.in(0).data,
                                                   bytes, queue.stream())
                     : driver.cuMemcpyDtoHAsync_v2(args.out().data, AddressOf(args.in(0).data),
                                                   bytes, queue.stream());
  return queue.device().Check(
      result, StrCat("copying ", bytes, " bytes ", step.to_device ? "to" : "from", " the card"));
}

absl::Status CudaSegment::RunOneByOne(const RunContext& context, const SegmentCall& call,
                                      CudaContext& queue) const {
  const CudaDevice& device = queue.device();
  const Driver& driver = device.driver();
  for (const CudaStep& step : steps_) {
    if (WantsToStop(context)) return absl::CancelledError("stopped");
    RETURN_IF_ERROR(
        device.Check(driver.cuEventRecord(queue.before(), queue.stream()), "recording times"));
    RETURN_IF_ERROR(step.kernel == nullptr ? Copy(step, call, queue)
                                           : LaunchStep(step, call, queue));
    RETURN_IF_ERROR(
        device.Check(driver.cuEventRecord(queue.after(), queue.stream()), "recording times"));
    RETURN_IF_ERROR(device.Check(driver.cuStreamSynchronize(queue.stream()),
                                 StrCat("running ", Describe(step))));
    if (context.events != nullptr) {
      // The card's clock differs from ours: its time is used as a duration that ends with the wait.
      float milliseconds = 0;
      RETURN_IF_ERROR(
          device.Check(driver.cuEventElapsedTime(&milliseconds, queue.before(), queue.after()),
                       "reading times"));
      const int64_t done = StepClockNs();
      context.events->thread(0)[step.number] = {
          .start_ns = done - static_cast<int64_t>(milliseconds * 1e6F),
          .end_ns = done,
          .wait_end_ns = done};
    }
    if (context.observer != nullptr && step.kernel != nullptr) {
      RETURN_IF_ERROR(Observe(*context.observer, step, call.args[step.number], queue));
    }
  }
  return absl::OkStatus();
}

// The observer sees copies of the step's tensors; of a cache it sees the address on the card.
absl::Status CudaSegment::Observe(StepObserver& observer, const CudaStep& step,
                                  const KernelArgs& args, CudaContext& queue) const {
  std::vector<Operand> operands;
  std::vector<std::vector<std::byte>> copies;
  for (std::span<const Operand> side : {args.inputs, args.outputs}) {
    const bool is_input = side.data() == args.inputs.data();
    for (size_t i = 0; i < side.size(); ++i) {
      Operand& operand = operands.emplace_back(side[i]);
      // Inputs may be weights in a layout of the card's own, which nobody else can read.
      if (operand.tensor.data == nullptr || is_input) continue;
      std::vector<std::byte>& copy = copies.emplace_back(BytesOf(operand.tensor));
      RETURN_IF_ERROR(
          queue.device().Check(queue.device().driver().cuMemcpyDtoH_v2(
                                   copy.data(), AddressOf(operand.tensor.data), copy.size()),
                               "copying a value from the card"));
      operand.tensor.data = copy.data();
    }
  }
  KernelArgs seen = args;
  seen.inputs = std::span(operands).first(args.inputs.size());
  seen.outputs = std::span(operands).subspan(args.inputs.size());
  observer.AfterStep(*step.node, seen);
  return absl::OkStatus();
}

}  // namespace infer::cuda
