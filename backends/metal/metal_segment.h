// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/metal/dispatch.h"
#include "backends/metal/metal_device.h"
#include "backends/metal/metal_memory.h"
#include "backends/metal/metal_pipelines.h"
#include "runtime/backend.h"

namespace infer::metal {

// The pipelines of a step: a few, at stable addresses.
struct StepPipelines {
  struct Made {
    PipelineKey key;
    const MTL::ComputePipelineState* pipeline = nullptr;
  };
  std::vector<Made> made;

  // Returns nullptr if there is no such pipeline.
  const MTL::ComputePipelineState* Find(const PipelineKey& key) const {
    for (const Made& one : made) {
      if (one.key == key) return one.pipeline;
    }
    return nullptr;
  }
};

struct MetalStep {
  const MetalKernel* kernel = nullptr;
  std::shared_ptr<const void> constants;  // kept alive here; KernelArgs::bound points to them
  const Node* node = nullptr;
  int32_t number = 0;
  StepPipelines pipelines = {};
};

// Runs steps on the GPU: their dispatches go into one command buffer, or into several if the work
// is large, each waited for. With an observer or when recording times, each step is a command
// buffer of its own. The pipelines of the steps must outlive it.
class MetalSegment : public CompiledSegment {
 public:
  MetalSegment(std::vector<MetalStep> steps, std::shared_ptr<MetalDevice> device)
      : steps_(std::move(steps)), device_(std::move(device)) {}

  absl::Status Run(const RunContext& context, const SegmentCall& call) const override;

 private:
  // Dispatches [begin, end) of a call, which share a command buffer.
  struct Range {
    size_t begin = 0;
    size_t end = 0;
  };

  // One run of the segment.
  struct Call {
    std::span<const KernelArgs> args;
    MetalMemory* memory;
    DeviceBatch batch;
    std::vector<Dispatch>& dispatches;
    std::vector<size_t>& step_of;  // indexed by dispatch
  };

  void AddDispatches(size_t step, const Call& call) const;
  absl::Status RunTogether(const RunContext& context, const Call& call) const;
  absl::Status RunOneByOne(const RunContext& context, const Call& call) const;
  // Returns a command buffer that is not committed yet.
  absl::StatusOr<Ref<MTL::CommandBuffer>> Encode(const Call& call, Range range,
                                                 const std::vector<bool>& barriers) const;
  absl::Status EncodeDispatch(const Call& call, size_t number,
                              MTL::ComputeCommandEncoder* encoder) const;
  // Waits for a committed command buffer and converts its error, if any, to a Status.
  absl::Status Finish(const Call& call, MTL::CommandBuffer* commands, Range range) const;
  // "node %x (linear), kernel linear_q8_0_metal".
  std::string Describe(const Call& call, size_t dispatch) const;

  std::vector<MetalStep> steps_;
  std::shared_ptr<MetalDevice> device_;
};

}  // namespace infer::metal
