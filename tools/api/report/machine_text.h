// SPDX-License-Identifier: Apache-2.0
//
// The machine that a Program's estimates were made for, in words.
#pragma once

#include <cstdint>
#include <string>

#include "ir/program/program.h"

namespace infer {

// "aarch64 i8mm, as measured with 2 threads: ..." or what is generic about it; empty without one.
std::string MachineText(const Machine& machine);

// The number of threads that it describes; 0 without one.
int64_t MachineThreads(const Machine& machine);

// A warning if it was measured with another number of threads than run here; empty if not, and for
// a generic one, which is rough with any number.
std::string OtherThreadsWarning(const Machine& machine, int64_t threads);

}  // namespace infer
