// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backends/cpu/cpu_segment.h"
#include "runtime/thread_team.h"

namespace infer {

// Creates a segment that runs as one region of the team: all threads walk the steps; a sliced step
// is divided by units, a serial one runs on thread 0. Scratch memory is as in CpuThreads. `team`
// must outlive the segment.
std::unique_ptr<CompiledSegment> MakeTeamSegment(std::vector<CpuStep> steps, ThreadTeam* team,
                                                 uint64_t scratch_stride);

// Wraps a team as the threads of a CpuBackend.
std::unique_ptr<CpuThreads> MakeTeamThreads(std::unique_ptr<ThreadTeam> team);

}  // namespace infer
