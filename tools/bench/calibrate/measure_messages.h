// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/status.h"
#include "ir/base/parallel_for.h"
#include "ir/policy/machine.h"

namespace infer {

// Adds to a description how fast a rank with these threads writes and reads the messages of
// collectives, by their form. The network is not needed for it: messages between two ranks arrive
// at once.
absl::Status MeasureMessages(const ParallelFor& parallel_for, MachineDescription* machine);

}  // namespace infer
