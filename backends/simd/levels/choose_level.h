// SPDX-License-Identifier: Apache-2.0
//
// Chooses the instruction-set level for this process.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "backends/simd/isa/level.h"

namespace infer::simd {

// Returns the levels of this build's architecture, from lowest to highest.
std::span<const Level* const> AllLevels();

// The level in use: the best that runs here, or the one that INFER_CPU names. nullptr, with
// `reason` set, if there is none: INFER_CPU=scalar, or a CPU that supports none of them.
struct LevelChoice {
  const Level* level = nullptr;
  bool valid = true;   // false if INFER_CPU is unusable here; `reason` is the error
  std::string reason;  // why this one, or why none
};
const LevelChoice& ChosenLevel();

// Returns the choice for a value of INFER_CPU (empty: not set).
LevelChoice ChooseLevel(std::string_view forced);

}  // namespace infer::simd
