// SPDX-License-Identifier: Apache-2.0
//
// Attention at one level: the query heads that share one key/value head, for a run of tokens of one
// sequence, over the blocks of its cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ir/graph/dtype.h"

namespace infer::simd {

// K and V of one key/value head: physical block b begins at k + b * block_stride_bytes; the
// positions in a block are contiguous, head_dim elements each.
struct CacheHead {
  const std::byte* k;
  const std::byte* v;
  uint64_t block_stride_bytes;
  const int32_t* block_table;  // physical block of each logical block
  int32_t block_positions;
  DType dtype;  // f32, f16, q8_0
};

// Queries of `tokens` consecutive tokens; token t sees positions 0 .. first_visible + t.
struct AttentionCall {
  const float* q;    // of the group's first head at the first token
  int64_t q_stride;  // floats between tokens; the heads of the group are contiguous
  int64_t tokens;
  int64_t group_heads;  // query heads that share this key/value head
  int64_t head_dim;
  CacheHead cache;
  int64_t first_visible;  // last position that token 0 sees
  float scale;
  float* out;
  int64_t out_stride;
  std::byte* scratch;  // of the calling thread, aligned to 64
};

// Attention over a range of positions, before the division. Per row, which is a query head of a
// token: the largest score, the sum of exponentials, head_dim sums.
struct AttentionPart {
  float* max;          // [tokens][group_heads], times log2(e): weights are 2^(score - max)
  float* sum;          // [tokens][group_heads]
  float* out;          // those of a token are contiguous
  int64_t out_stride;  // floats between tokens
};

struct AttentionKernels {
  // Returns the scratch bytes of one call, an upper bound for any number of positions.
  uint64_t (*scratch_bytes)(int64_t tokens, int64_t group_heads, int64_t head_dim);
  // A range of positions. The bits of a row do not depend on the other tokens, nor on the blocks of
  // the cache. Does not use call.out.
  void (*range)(const AttentionCall& call, int64_t begin, int64_t end, const AttentionPart& part);
  // Merges `part` into `to`, the merged ranges before it.
  void (*merge)(const AttentionCall& call, const AttentionPart& part, const AttentionPart& to);
  // Many tokens with all that they see, rounded differently than by `range`; nullptr: none. For
  // sequences with at least `many_from` tokens in the call; `range` takes the others.
  void (*many)(const AttentionCall& call) = nullptr;
  int64_t many_from = 0;
  // To what `range` rounds q, K, the weights and V: kernels of a level that say the same give the
  // same bits.
  std::string_view rounds_to = "f32";
};

}  // namespace infer::simd
