// SPDX-License-Identifier: Apache-2.0
//
// Divides attention into units by lengths and shapes alone, so that any number of threads gives the
// same bits.
#pragma once

#include <cstdint>

#include "runtime/batch.h"

namespace infer::simd {

// A sequence with more tokens than this in a call is divided into blocks of tokens; with fewer,
// each token is divided into chunks of positions. Reading the cache again for each token costs as
// much as preparing it for matrix instructions at about three tokens.
inline constexpr int64_t kFewTokens = 4;
inline constexpr int64_t kTokenBlock = 128;
// A chunk has at least 256 positions and doubles until kMaxChunks suffice.
inline constexpr int64_t kMinChunk = 256;
inline constexpr int64_t kMaxChunks = 16;
// Over all tokens of a call; with many tokens there are enough units without chunks.
inline constexpr int64_t kMaxParts = 64;

// A unit of work on one key/value head.
struct AttentionUnit {
  int64_t sequence;
  int64_t kv_head;
  int64_t token;   // index of the first token in the call
  int64_t tokens;  // if more than one, whole attention of a block of tokens
  int64_t begin;   // positions, for one token
  int64_t end;
  int64_t chunk;
  int64_t chunks;  // of this token; if more than one, the unit is a partial result
  int64_t part;    // index of the partial result
  bool operator==(const AttentionUnit&) const = default;
};

class AttentionCursor;

class AttentionUnits {
 public:
  AttentionUnits(const Batch& batch, int64_t kv_heads);

  int64_t count() const;
  // Number of results that are merged from partial ones: (token, key/value head).
  int64_t merges() const;

  // Starts at unit `unit`.
  AttentionCursor From(int64_t unit) const;
  // Starts at merge `merge`. Each merge is given as its first part: chunk, begin and end are those
  // of chunk 0.
  AttentionCursor MergesFrom(int64_t merge) const;

 private:
  friend class AttentionCursor;
  int64_t ChunksOf(int64_t visible) const;

  const Batch& batch_;
  int64_t kv_heads_;
  int64_t max_chunks_;
};

// Iterates over units in order. Finding the first one visits every sequence before it, each next
// one only the sequence it belongs to, so a slice of units costs the sum of sequences and units,
// not their product. Allocates nothing.
class AttentionCursor {
 public:
  // Requires that there are more units.
  AttentionUnit Next();

  // Number of groups of units visited so far: a token divided into chunks, or a sequence divided
  // into blocks. For tests.
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
  int64_t token_ = 0;  // of the sequence; always the first if divided into blocks
  int64_t parts_ = 0;  // partial results of the preceding groups
  // These describe the group at sequence_ and token_.
  int64_t chunks_ = 0;  // 0: divided into blocks
  int64_t units_here_ = 0;
  int64_t next_ = 0;
  int64_t visited_ = 0;
};

}  // namespace infer::simd
