// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace infer {

// Open MPI's launcher sometimes waits without end if a rank dies while it connects to the launcher,
// although the other ranks have ended too. Called by a rank that is about to end because MPI does
// not return, at the start or later: leaves a process that ends the launcher, the parent of this
// process, if it is still there after `patience`. Does nothing if the parent is not one of Open
// MPI's programs, or where the system has no handles of processes (Linux has them).
void EndStuckLauncher(std::chrono::milliseconds patience);

}  // namespace infer
