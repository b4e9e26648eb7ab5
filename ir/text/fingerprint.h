// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ir/graph/graph.h"

namespace infer {

// Equal for two graphs exactly if nothing that is printed differs, up to hash collisions.
uint64_t Fingerprint(const Graph& graph);

}  // namespace infer
