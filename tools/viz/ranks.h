// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/viz/layout.h"

namespace infer {

// Returns the row of each node: below everything that it reads; a node that reads nothing is just
// above its first reader.
std::vector<int32_t> RanksOf(int32_t nodes, std::span<const LayoutEdge> edges);

}  // namespace infer
