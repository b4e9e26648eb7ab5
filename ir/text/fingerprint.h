// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ir/graph/graph.h"

namespace infer {

// Returns a hash that is equal for two graphs if and only if they print alike, up to collisions.
uint64_t Fingerprint(const Graph& graph);

}  // namespace infer
