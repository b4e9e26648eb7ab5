// SPDX-License-Identifier: Apache-2.0
//
// How attention is cut into units: by lengths and shapes alone, so that any number of threads gives
// the same bits.
#pragma once

#include <cstdint>

#include "runtime/batch.h"

namespace infer::simd {

// A sequence with more tokens than this in a call is cut by blocks of tokens; with fewer, each
// token is cut by chunks of positions. Reading the cache anew for each token costs as much as
// preparing it for matrix instructions at about three tokens.
inline constexpr int64_t kFewTokens = 4;
inline constexpr int64_t kTokenBlock = 128;
// A chunk is at least 256 positions and doubles until kMaxChunks suffice.
inline constexpr int64_t kMinChunk = 256;
inline constexpr int64_t kMaxChunks = 16;
// Over all tokens of a call; with many tokens there are units enough without chunks.
inline constexpr int64_t kMaxParts = 64;

// Work on one key/value head.
struct AttentionUnit {
  int64_t sequence;
  int64_t kv_head;
  int64_t token;   // first, as an index of the call
  int64_t tokens;  // more than one: whole attention of a block of tokens
  int64_t begin;   // positions, for one token
  int64_t end;
  int64_t chunk;
  int64_t chunks;  // of this token; more than one: a partial result
  int64_t part;    // index of the partial result
};

class AttentionUnits {
 public:
  AttentionUnits(const Batch& batch, int64_t kv_heads);

  int64_t count() const;
  AttentionUnit At(int64_t unit) const;

  // Results that are merged from partial ones: (token, key/value head).
  int64_t merges() const;
  // The first part of one of them: chunk, begin and end are those of chunk 0.
  AttentionUnit MergeAt(int64_t merge) const;

 private:
  int64_t ChunksOf(int64_t visible) const;
  int64_t UnitsOf(const BatchSequence& sequence) const;
  AttentionUnit Chunk(int64_t sequence, int64_t token, int64_t kv_head, int64_t chunk,
                      int64_t parts_before) const;

  const Batch& batch_;
  int64_t kv_heads_;
  int64_t max_chunks_;
};

}  // namespace infer::simd
