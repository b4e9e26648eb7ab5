// SPDX-License-Identifier: Apache-2.0
//
// Launches of products of one row of x (kernels/stream.h).
#pragma once

#include "backends/cuda/product.h"

namespace infer::cuda {

// Shared memory of a streamed product, before the ring of pieces.
struct StreamMemory {
  uint64_t norm_offset, ring_offset;
};
StreamMemory StreamMemoryOf(const WeightType& type, int64_t columns, bool normed);

// Adds one launch for each weight type, with norm, residual and swiglu in it. Returns false, with
// nothing added, if the product has several rows, an odd length, or too little shared memory.
bool AddStreams(const Product& product, uint64_t max_shared_bytes, std::vector<Launch>& out);

}  // namespace infer::cuda
