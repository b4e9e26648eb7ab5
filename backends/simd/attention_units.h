// SPDX-License-Identifier: Apache-2.0
//
// Divides attention into units. A token's positions are summed in chunks whose bounds depend on
// nothing but the position, and the chunks are merged in ascending order: the bits of a result
// depend neither on the threads nor on the other tokens of the call.
#pragma once

#include <bit>
#include <cstdint>

#include "runtime/batch.h"

namespace infer::simd {

// A sequence with more tokens than this in a call is divided into blocks of tokens; with fewer,
// each token is divided into chunks of positions. Reading the cache again for each token costs as
// much as preparing it for matrix instructions at about three tokens.
inline constexpr int64_t kFewTokens = 4;
inline constexpr int64_t kTokenBlock = 128;
// Chunks have 256 positions up to 4096, and then an eighth of the power of two at or below their
// first one: 512 up to 8192, 1024 up to 16384. So a long context has few parts to merge (40 at
// 32768), and every chunk is small enough beside the others to be shared out.
inline constexpr int64_t kMinChunk = 256;
inline constexpr int64_t kChunksPerOctave = 8;
inline constexpr int64_t kFirstOctave = kMinChunk * kChunksPerOctave;

// Returns the chunk that a position belongs to.
constexpr int64_t ChunkAt(int64_t position) {
  if (position < kFirstOctave) return position / kMinChunk;
  const auto first = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(position)));
  const int64_t octave = std::countr_zero(static_cast<uint64_t>(first / kFirstOctave));
  return kChunksPerOctave * (octave + 1) + (position - first) / (first / kChunksPerOctave);
}
// Returns the first position of a chunk.
constexpr int64_t ChunkBegin(int64_t chunk) {
  if (chunk < kChunksPerOctave) return chunk * kMinChunk;
  const int64_t first = kFirstOctave << (chunk / kChunksPerOctave - 1);
  return first + chunk % kChunksPerOctave * (first / kChunksPerOctave);
}

// The most partial results of a token, which is enough for 262144 positions, and of a call, for
// each key/value head. Where more would be needed, tokens are not divided: there are enough units
// then.
inline constexpr int64_t kMaxPartsOfToken = 64;
inline constexpr int64_t kMaxParts = 256;

// A unit of work on one key/value head.
struct AttentionUnit {
  int64_t sequence;
  int64_t kv_head;
  int64_t token;   // index of the first token in the call
  int64_t tokens;  // if more than one, whole attention of a block of tokens
  int64_t begin;   // positions, for one token
  int64_t end;
  int64_t parts;  // of this token; if more than one, the unit is a partial result
  int64_t part;   // index of the partial result
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
  // Starts at merge `merge`. Each merge is given as its first part.
  AttentionCursor MergesFrom(int64_t merge) const;

 private:
  friend class AttentionCursor;
  // Returns how many units token `token` of the call is divided into.
  int64_t PartsOf(int64_t token) const;

  const Batch& batch_;
  int64_t kv_heads_;
  bool divides_ = false;  // tokens into chunks
};

// Iterates over units in order. Finding the first one visits every sequence before it, each next
// one only the sequence it belongs to, so a slice of units costs the sum of sequences and units,
// not their product. Allocates nothing.
class AttentionCursor {
 public:
  // Requires that there are more units.
  AttentionUnit Next();

  // Number of groups of units visited so far: a token and its parts, or a sequence divided
  // into blocks. For tests.
  int64_t visited() const { return visited_; }

 private:
  friend class AttentionUnits;
  AttentionCursor(const AttentionUnits& units, bool merges, int64_t skip);
  void Look();
  void Advance();
  AttentionUnit BlockUnit() const;
  AttentionUnit PartUnit(int64_t kv_head, int64_t part) const;

  const AttentionUnits& units_;
  const bool merges_;
  int64_t sequence_ = 0;
  int64_t token_ = 0;         // of the sequence; always the first if divided into blocks
  int64_t parts_before_ = 0;  // partial results of the preceding groups
  // These describe the group at sequence_ and token_.
  int64_t parts_ = 0;  // 0: divided into blocks
  int64_t units_here_ = 0;
  int64_t next_ = 0;
  int64_t visited_ = 0;
};

}  // namespace infer::simd
