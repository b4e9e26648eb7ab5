// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/viz/layout.h"

namespace infer {

// The row of each node: below everything that it reads; what reads nothing stands just above its
// first reader.
std::vector<int32_t> RanksOf(int32_t nodes, std::span<const LayoutEdge> edges);

}  // namespace infer
