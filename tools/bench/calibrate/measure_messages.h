// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/status.h"
#include "ir/base/parallel_for.h"
#include "ir/policy/machine.h"

namespace infer {

// What writing and reading the messages of collectives takes a rank: with how many threads it does
// that, and with how many ranks it has the memory of their results in common; 0 if with none.
struct MessageWork {
  ParallelFor parallel_for = SerialFor;
  int common_ranks = 0;
};

// Adds to a description how fast that is, by the form of the messages. The network is not needed
// for it: messages arrive at once.
absl::Status MeasureMessages(const MessageWork& work, MachineDescription* machine);

}  // namespace infer
