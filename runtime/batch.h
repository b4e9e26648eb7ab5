// SPDX-License-Identifier: Apache-2.0
//
// Describes the tokens of a call and how kernels see the cache. The KV-cache manager fills a Batch
// and checks every index in it once per call, so kernels never check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/graph/dtype.h"

namespace infer {

// The tokens of one sequence in a call: adjacent, in ascending position.
struct BatchSequence {
  int32_t first_token = 0;               // index of its first token in the call
  int32_t count = 0;                     // tokens in the call
  int32_t length = 0;                    // cache entries visible to it, this call's included
  std::span<const int32_t> block_table;  // physical block of each logical block
};

struct Batch {
  std::span<const int32_t> token_seq;  // [T] index into sequences
  std::span<const int32_t> token_pos;  // [T] position in its sequence
  std::span<const int32_t>
      token_slot;                     // [T] where its K and V go: block * block_positions + offset
  std::span<const int32_t> out_rows;  // [R] tokens whose logits are requested, ascending
  std::span<const BatchSequence> sequences;
  int32_t block_positions =
      0;  // positions in a block; the whole capacity if the cache is contiguous
};

// The cache of one layer. K and V are separate, each [block][kv_head][position in block][head_dim].
struct KvView {
  std::byte* k = nullptr;
  std::byte* v = nullptr;
  DType dtype = DType::kF16;
  int32_t kv_heads = 0;
  int32_t head_dim = 0;
  int32_t block_positions = 0;

  // Index, in elements, of the vector of `head` at the physical `slot`.
  size_t Index(int32_t slot, int32_t head) const {
    size_t block = static_cast<size_t>(slot / block_positions);
    size_t offset = static_cast<size_t>(slot % block_positions);
    return ((block * kv_heads + head) * block_positions + offset) * head_dim;
  }
  // The same offset in bytes. A vector consists of whole blocks of the type.
  size_t Offset(int32_t slot, int32_t head) const {
    return Index(slot, head) / Info(dtype).block_elements * Info(dtype).block_bytes;
  }
};

}  // namespace infer
