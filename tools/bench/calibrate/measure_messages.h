// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/status.h"
#include "ir/policy/machine.h"

namespace infer {

// Adds to a description how fast a rank writes and reads the messages of collectives, by their
// form. The network is not needed for it: messages between two ranks arrive at once.
absl::Status MeasureMessages(MachineDescription* machine);

}  // namespace infer
