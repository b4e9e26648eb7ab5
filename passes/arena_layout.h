// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
  bool common = false;        // of the ranks (ir/graph/common_memory.h)
  uint64_t offset = 0;
};

// For each step, the step from which memory last used there is free.
struct FreeFrom {
  std::vector<int32_t> own;
  std::vector<int32_t> common;
};

// Gives each buffer its offset in the arena of its space, those in common memory first. The cpu's
// arena comes first, even if it is empty.
std::vector<Arena> LayOutArenas(const FreeFrom& free_from, std::vector<ArenaBuffer>& buffers);

}  // namespace infer
