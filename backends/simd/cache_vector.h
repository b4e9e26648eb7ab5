// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "runtime/batch.h"

namespace infer::simd {

// Writes the vector of one head to `cache`, which is kv.k or kv.v, in the cache's type.
void StoreCacheVector(const KvView& kv, const float* x, std::byte* cache, size_t offset_bytes);

}  // namespace infer::simd
