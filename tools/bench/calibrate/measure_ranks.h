// SPDX-License-Identifier: Apache-2.0
//
// What it costs to exchange data with the other ranks of a divided run.
#pragma once

#include "absl/status/status.h"
#include "backends/ranks/collective_kernels.h"
#include "ir/policy/machine.h"

namespace infer {

// Measures gathers of small and of large messages, and adds their cost to `machine` on rank 0,
// apart from that of writing and reading the messages, which MeasureMessages has added before.
// Called by all ranks; those other than 0 wait until it is rank 0's turn to measure, however long
// that takes, and then take part.
absl::Status MeasureRanks(const RankLink& link, MachineDescription* machine);

// Adds the cost of ranks whose exchanges take `cost` and receive `gb_s` in addition.
void AddRanks(TargetCost cost, double gb_s, MachineDescription* machine);

}  // namespace infer
