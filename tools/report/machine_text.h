// SPDX-License-Identifier: Apache-2.0
//
// Describes the machine that a Program's estimates were made for.
#pragma once

#include <cstdint>
#include <string>

#include "ir/program/program.h"

namespace infer {

// Returns "aarch64 i8mm, as measured with 2 threads: ...", or a note that the description is
// generic; empty without one.
std::string MachineText(const Machine& machine);

// Returns the number of threads that it describes; 0 without a description.
int64_t MachineThreads(const Machine& machine);

// Returns a warning if the machine was measured with a different number of threads than run here.
// Empty otherwise, and for a generic description, which is rough for any number.
std::string OtherThreadsWarning(const Machine& machine, int64_t threads);

}  // namespace infer
