// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace infer {

// The points of each rank, in their order from left to right.
using Ranks = std::vector<std::vector<int32_t>>;

// What a point is joined to in the ranks next to it.
struct Neighbours {
  std::vector<int32_t> above, below;
};

// The ranks in an order in which few lines cross; `near` is by point.
Ranks OrderRanks(Ranks ranks, std::span<const Neighbours> near);

}  // namespace infer
