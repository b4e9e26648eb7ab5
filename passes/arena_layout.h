// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/graph/plan.h"

namespace infer {

// Memory that one or more values use in turn, from first_step to last_step.
struct ArenaBuffer {
  Device space = Device::kCpu;
  uint64_t bytes = 0;
  int32_t first_step = 0;
  int32_t last_step = 0;
  bool holds_result = false;  // of the graph: nothing may reuse it, not even in the last step
  uint64_t offset = 0;
};

// Gives each buffer its offset in the arena of its space. `free_from` gives, for each step, the
// step from which memory last used there is free. The cpu's arena comes first, even if it is empty.
std::vector<Arena> LayOutArenas(std::span<const int32_t> free_from,
                                std::vector<ArenaBuffer>& buffers);

}  // namespace infer
