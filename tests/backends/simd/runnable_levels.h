// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/simd/levels/choose_level.h"

namespace infer {

// The levels that this CPU runs; the others cannot be tested here.
inline std::vector<const simd::Level*> RunnableLevels() {
  std::vector<const simd::Level*> levels;
  for (const simd::Level* level : simd::AllLevels()) {
    if (level->runs_here()) levels.push_back(level);
  }
  return levels;
}

}  // namespace infer
