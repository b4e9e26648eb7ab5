// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "tools/bench/peaks.h"

namespace infer {

// A loop of a single instruction, on enough independent registers to fill the pipes.
struct InstructionLoop {
  std::string_view name;
  InstructionPeak::Kind kind;
  bool (*runs_here)();
  double ops_per_round;  // operations in one round of the loop
  void (*run)(int64_t rounds);
};

// Returns all loops for this build's architecture.
std::span<const InstructionLoop> InstructionLoops();

}  // namespace infer
