// SPDX-License-Identifier: Apache-2.0
//
// Segments on the cpu: what a step is, how the calling thread runs one alone, and what threads that
// run one together have to offer.
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
  int32_t number = 0;  // in the plan, where its arguments are found and its times are noted
};

// Whether the caller has asked the call to end, and the status of a call that did.
bool WantsToStop(const RunContext& context);
absl::Status Stopped();

// All phases of a kernel, by the calling thread.
void RunWhole(const CpuKernel& kernel, const KernelArgs& args);

// Every step whole, one after the other, by the calling thread.
std::unique_ptr<CompiledSegment> MakeSerialSegment(std::vector<CpuStep> steps);

// Threads that share out the units of sliced steps.
class CpuThreads {
 public:
  virtual ~CpuThreads() = default;
  virtual int threads() const = 0;
  // Calls body(i) for every i below `count` on any of the threads; returns when all have.
  virtual void For(int64_t count, const std::function<void(int64_t)>& body) = 0;
  // Lets threads that wait for the next segment sleep at once.
  virtual void Pause() {}
  // For each thread, the time that it has waited for others so far; empty if nobody counts.
  virtual std::vector<uint64_t> WaitNs() const { return {}; }
  // Thread i has its scratch at i * scratch_stride from that of the steps' arguments. The threads
  // must outlive the segment.
  virtual std::unique_ptr<CompiledSegment> MakeSegment(std::vector<CpuStep> steps,
                                                       uint64_t scratch_stride) = 0;
};

}  // namespace infer
