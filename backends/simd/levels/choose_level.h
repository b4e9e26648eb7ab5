// SPDX-License-Identifier: Apache-2.0
//
// Chooses the instruction-set level that this process runs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "backends/simd/isa/level.h"

namespace infer::simd {

// The levels of this build's architecture, worst first.
std::span<const Level* const> AllLevels();

// The level in use: the best that runs here, or the one that INFER_CPU names. nullptr, with
// `reason` filled, if there is none: INFER_CPU=scalar, or a CPU without any of them.
struct LevelChoice {
  const Level* level = nullptr;
  bool valid = true;   // false: INFER_CPU names nothing that runs here; `reason` is the error
  std::string reason;  // why this one, or why none
};
const LevelChoice& ChosenLevel();

// The choice for a value of INFER_CPU (empty: not set).
LevelChoice ChooseLevel(std::string_view forced);

}  // namespace infer::simd
