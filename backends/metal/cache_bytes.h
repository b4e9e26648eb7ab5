// SPDX-License-Identifier: Apache-2.0
//
// How much of a cache a call accesses. A KvView has no size of its own, so the ranges end with the
// last physical block that the call names.
#pragma once

#include <algorithm>

#include "runtime/batch.h"

namespace infer::metal {

// Returns the bytes of K, or of V, for blocks [0, blocks).
inline uint64_t CacheBytes(const KvView& kv, int64_t blocks) {
  const int64_t elements = blocks * kv.kv_heads * kv.block_positions * kv.head_dim;
  return static_cast<uint64_t>(elements) / Info(kv.dtype).block_elements *
         Info(kv.dtype).block_bytes;
}

inline uint64_t WrittenCacheBytes(const KvView& kv, const Batch& batch) {
  int32_t last = -1;
  for (int32_t slot : batch.token_slot) last = std::max(last, slot);
  return CacheBytes(kv, last < 0 ? 0 : last / kv.block_positions + 1);
}

inline uint64_t VisibleCacheBytes(const KvView& kv, const Batch& batch) {
  int32_t last = -1;
  for (const BatchSequence& sequence : batch.sequences) {
    const size_t used = (sequence.length + kv.block_positions - 1) / kv.block_positions;
    for (int32_t block : sequence.block_table.first(std::min(used, sequence.block_table.size()))) {
      last = std::max(last, block);
    }
  }
  return CacheBytes(kv, last + 1);
}

}  // namespace infer::metal
