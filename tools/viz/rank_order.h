// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace infer {

// The points of each rank, from left to right.
using Ranks = std::vector<std::vector<int32_t>>;

// The points that a point is connected to in the adjacent ranks.
struct Neighbours {
  std::vector<int32_t> above, below;
};

// Returns the ranks in an order in which few lines cross; `near` is indexed by point.
Ranks OrderRanks(Ranks ranks, std::span<const Neighbours> near);

}  // namespace infer
