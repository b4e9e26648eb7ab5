// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backends/cpu/cpu_segment.h"
#include "runtime/thread_team.h"

namespace infer {

// One region of the team for the whole segment: all threads walk the steps; a sliced step is shared
// out by units, a serial one is thread 0's. Scratch memory as in CpuThreads. `team` must outlive
// the segment.
std::unique_ptr<CompiledSegment> MakeTeamSegment(std::vector<CpuStep> steps, ThreadTeam* team,
                                                 uint64_t scratch_stride);

// A team as the threads of a CpuBackend.
std::unique_ptr<CpuThreads> MakeTeamThreads(std::unique_ptr<ThreadTeam> team);

}  // namespace infer
