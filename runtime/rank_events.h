// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/collective.h"
#include "runtime/step_events.h"

namespace infer {

// From StepClockNs.
struct CallTimes {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// Collects what the threads of all ranks did in a call. Called by every rank after a call that is
// recorded. The first `threads` threads of `events` are this rank's; on rank 0 the others follow,
// rank by rank, as far as `events` has room. Clocks of hosts differ, so the times of another rank
// are moved to make its call start when rank 0's did, and end no later; that is off by the time
// that a message takes.
//
// `steps_hash` names the steps that `events` are of. Returns false on all ranks, and collects
// nothing, where ranks run other steps, as those with other machine descriptions may.
absl::StatusOr<bool> GatherEvents(Collective& transport, int threads, uint64_t steps_hash,
                                  CallTimes call, StepEvents* events);

}  // namespace infer
