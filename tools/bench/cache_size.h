// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace infer {

// Returns the size of the largest cache that the system reports, or 32 MiB if it reports none.
uint64_t LastLevelCacheBytes();

}  // namespace infer
