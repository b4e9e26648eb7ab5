// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/simd/isa/vector_kernels.h"
#include "ir/graph/dtype.h"

namespace infer::simd {

// Writes `count` floats in the type of the cache.
using StoreCacheVector = void (*)(const VectorKernels& vector, const float* x, int64_t count,
                                  std::byte* to);

// Returns the function for a cache in f32, f16 or q8_0.
StoreCacheVector StoreFor(DType cache);

}  // namespace infer::simd
