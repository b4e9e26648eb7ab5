// SPDX-License-Identifier: Apache-2.0
//
// The two ways to run a segment on the cpu: by the calling thread alone, or by a team that walks it
// together.
#pragma once

#include <memory>
#include <vector>

#include "backends/cpu/cpu_kernel.h"
#include "runtime/backend.h"
#include "runtime/thread_team.h"

namespace infer {

struct CpuStep {
  const CpuKernel* kernel;
  const KernelArgs* args;
  const Node* node;
  StepMode mode;
  bool barrier_after;
  int32_t number = 0;  // in the plan, where its times are noted
};

// Every step whole, one after the other, by the calling thread.
std::unique_ptr<CompiledSegment> MakeSerialSegment(std::vector<CpuStep> steps);

// One region for the whole segment: all threads walk the steps; a sliced step is shared out by
// units, a serial one is thread 0's. Thread i has its scratch at i * scratch_stride from that of
// the steps' arguments. `team` must outlive the segment.
std::unique_ptr<CompiledSegment> MakeTeamSegment(std::vector<CpuStep> steps, ThreadTeam* team,
                                                 uint64_t scratch_stride);

}  // namespace infer
