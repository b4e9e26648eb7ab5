// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/cuda_context.h"
#include "backends/cuda/cuda_modules.h"
#include "runtime/backend.h"

namespace infer::cuda {

struct CudaStep {
  const CudaKernel* kernel = nullptr;     // nullptr: a copy
  std::shared_ptr<const void> constants;  // kept alive here; KernelArgs::bound points to them
  const Node* node = nullptr;
  int32_t number = 0;
  bool to_device = false;  // of a copy
};

// Submits its steps to the queue of the call. Runs of kernels in calls of few tokens are recorded
// once and submitted as a graph from then on. With an observer or when recording times, steps run
// one by one.
class CudaSegment : public CompiledSegment {
 public:
  CudaSegment(std::vector<CudaStep> steps, std::shared_ptr<CudaModules> modules);

  absl::Status Run(const RunContext& context, const SegmentCall& call) const override;

 private:
  absl::Status RunTogether(const SegmentCall& call, CudaContext& queue) const;
  absl::Status RunOneByOne(const RunContext& context, const SegmentCall& call,
                           CudaContext& queue) const;
  // Steps [begin, end), all kernels.
  absl::Status SubmitKernels(size_t begin, size_t end, const SegmentCall& call,
                             CudaContext& queue) const;
  absl::Status RecordGraph(const CudaContext::GraphKey& key, size_t begin, size_t end,
                           const SegmentCall& call, CudaContext& queue) const;
  absl::Status LaunchStep(const CudaStep& step, const SegmentCall& call, CudaContext& queue) const;
  absl::Status Copy(const CudaStep& step, const SegmentCall& call, CudaContext& queue) const;
  absl::Status Observe(StepObserver& observer, const CudaStep& step, const KernelArgs& args,
                       CudaContext& queue) const;

  std::vector<CudaStep> steps_;
  std::shared_ptr<CudaModules> modules_;
  std::string description_;  // "the steps from ... to ..."
};

}  // namespace infer::cuda
