// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backends/metal/metal_device.h"
#include "backends/metal/metal_memory.h"
#include "backends/metal/metal_pipelines.h"
#include "backends/metal/plan.h"
#include "runtime/backend.h"

namespace infer::metal {

struct MetalStep {
  const MetalKernel* kernel = nullptr;
  const KernelArgs* args = nullptr;
  const Node* node = nullptr;
  int32_t number = 0;
};

// Runs steps on the GPU: their dispatches in one command buffer, or in several if they are much
// work, each waited for. With an observer or with times wanted, each step is a command buffer.
// `memory` and `pipelines` must outlive it.
class MetalSegment : public CompiledSegment {
 public:
  MetalSegment(std::vector<MetalStep> steps, std::shared_ptr<MetalDevice> device,
               MetalMemory* memory, MetalPipelines* pipelines)
      : steps_(std::move(steps)),
        device_(std::move(device)),
        memory_(memory),
        pipelines_(pipelines) {}

  absl::Status Run(const RunContext& context) override;

 private:
  // Dispatches [begin, end) of dispatches_, which lie in one command buffer.
  struct Range {
    size_t begin = 0;
    size_t end = 0;
  };

  void Plan(const MetalStep& step, size_t index, const DeviceBatch& batch);
  absl::Status RunTogether(const RunContext& context, const DeviceBatch& batch);
  absl::Status RunOneByOne(const RunContext& context, const DeviceBatch& batch);
  // Not yet committed.
  absl::StatusOr<Ref<MTL::CommandBuffer>> Encode(Range range, const std::vector<bool>& barriers);
  absl::Status EncodeDispatch(const Dispatch& dispatch, MTL::ComputeCommandEncoder* encoder) const;
  // Waits for a committed command buffer and turns what went wrong into a Status.
  absl::Status Finish(MTL::CommandBuffer* commands, Range range) const;
  // "node %x (linear), kernel linear_q8_0_metal".
  std::string Describe(size_t dispatch) const;

  std::vector<MetalStep> steps_;
  std::shared_ptr<MetalDevice> device_;
  MetalMemory* memory_;
  MetalPipelines* pipelines_;
  // Of the call under way; kept so that their memory is taken once.
  std::vector<Dispatch> dispatches_;
  std::vector<size_t> step_of_;  // by dispatch
};

}  // namespace infer::metal
