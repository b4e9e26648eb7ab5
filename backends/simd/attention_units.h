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
  bool operator==(const AttentionUnit&) const = default;
};

class AttentionCursor;

class AttentionUnits {
 public:
  AttentionUnits(const Batch& batch, int64_t kv_heads);

  int64_t count() const;
  // Results that are merged from partial ones: (token, key/value head).
  int64_t merges() const;

  // Unit `unit` and those after it.
  AttentionCursor From(int64_t unit) const;
  // Merges from `merge` on, each as the first part of it: chunk, begin and end are those of chunk
  // 0.
  AttentionCursor MergesFrom(int64_t merge) const;

 private:
  friend class AttentionCursor;
  int64_t ChunksOf(int64_t visible) const;

  const Batch& batch_;
  int64_t kv_heads_;
  int64_t max_chunks_;
};

// Walks through units in order. Finding the first one looks at every sequence before it, each next
// one at the sequence it belongs to, so a slice of units costs time for sequences and units and not
// for their product. Allocates nothing.
class AttentionCursor {
 public:
  // Only while there are more.
  AttentionUnit Next();

  // Groups of units looked at so far: a token that is cut by chunks, or a sequence that is cut by
  // blocks. For tests.
  int64_t visited() const { return visited_; }

 private:
  friend class AttentionUnits;
  AttentionCursor(const AttentionUnits& units, bool merges, int64_t skip);
  void Look();
  void Advance();
  AttentionUnit BlockUnit() const;
  AttentionUnit ChunkUnit(int64_t kv_head, int64_t chunk) const;

  const AttentionUnits& units_;
  const bool merges_;
  int64_t sequence_ = 0;
  int64_t token_ = 0;  // of the sequence; always the first if it is cut by blocks
  int64_t parts_ = 0;  // partial results of the groups before
  // Of the group at sequence_ and token_.
  int64_t chunks_ = 0;  // 0: cut by blocks
  int64_t units_here_ = 0;
  int64_t next_ = 0;
  int64_t visited_ = 0;
};

}  // namespace infer::simd
