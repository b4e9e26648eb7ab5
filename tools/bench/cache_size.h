// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace infer {

// Of the largest cache that the system reports, or 32 MiB if it reports none.
uint64_t LastLevelCacheBytes();

}  // namespace infer
