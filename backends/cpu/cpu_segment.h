// SPDX-License-Identifier: Apache-2.0
//
// Segments on the cpu: what a step is, how the calling thread runs one alone, and the interface of
// threads that run one together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "backends/cpu/cpu_kernel.h"
#include "runtime/backend.h"

namespace infer {

struct CpuStep {
  const CpuKernel* kernel;
  std::shared_ptr<const void> constants;  // kept alive here; KernelArgs::bound points to them
  const Node* node;
  StepMode mode;
  bool barrier_after;
  int32_t number = 0;  // in the plan; indexes its arguments and recorded times
};

// Whether the caller has asked the call to stop, and the status of a call that was stopped.
bool WantsToStop(const RunContext& context);
absl::Status Stopped();

// Runs all phases of a kernel on the calling thread.
void RunWhole(const CpuKernel& kernel, const KernelArgs& args);

// Creates a segment that runs every step whole, one after the other, on the calling thread.
std::unique_ptr<CompiledSegment> MakeSerialSegment(std::vector<CpuStep> steps);

// Threads that divide the units of sliced steps among them.
class CpuThreads {
 public:
  virtual ~CpuThreads() = default;
  virtual int threads() const = 0;
  // Calls body(i) for every i below `count` on any of the threads; returns when all calls have.
  virtual void For(int64_t count, const std::function<void(int64_t)>& body) = 0;
  // Puts threads that wait for the next segment to sleep at once.
  virtual void Pause() {}
  // Time that each thread has waited for others so far; empty if this is not counted.
  virtual std::vector<uint64_t> WaitNs() const { return {}; }
  // The scratch memory of thread i begins i * scratch_stride after that in the steps' arguments.
  // The threads must outlive the segment.
  virtual std::unique_ptr<CompiledSegment> MakeSegment(std::vector<CpuStep> steps,
                                                       uint64_t scratch_stride) = 0;
};

}  // namespace infer
