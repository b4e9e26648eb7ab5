// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/attention_units.h"

#include <algorithm>

namespace infer::simd {
namespace {

bool IsFew(const BatchSequence& sequence) { return sequence.count <= kFewTokens; }

int64_t Blocks(const BatchSequence& sequence) {
  return (sequence.count + kTokenBlock - 1) / kTokenBlock;
}

// Early blocks see few positions and late ones many. Threads take runs of units, so the blocks of a
// head come as first, last, second, last but one, ...: in order, two threads left one of them idle
// for 13 % of attention in a prompt of 2000 tokens.
int64_t BlockAt(int64_t i, int64_t blocks) { return i % 2 == 0 ? i / 2 : blocks - 1 - i / 2; }

int64_t ChunkPositions(int64_t visible, int64_t max_chunks) {
  int64_t positions = kMinChunk;
  while (positions * max_chunks < visible) positions *= 2;
  return positions;
}

}  // namespace

AttentionUnits::AttentionUnits(const Batch& batch, int64_t kv_heads)
    : batch_(batch), kv_heads_(kv_heads) {
  int64_t few = 0;
  for (const BatchSequence& sequence : batch.sequences) few += IsFew(sequence) ? sequence.count : 0;
  max_chunks_ = few == 0 ? 1 : std::clamp<int64_t>(kMaxParts / few, 1, kMaxChunks);
}

int64_t AttentionUnits::ChunksOf(int64_t visible) const {
  const int64_t positions = ChunkPositions(visible, max_chunks_);
  return (visible + positions - 1) / positions;
}

int64_t AttentionUnits::UnitsOf(const BatchSequence& sequence) const {
  if (!IsFew(sequence)) return Blocks(sequence) * kv_heads_;
  int64_t units = 0;
  for (int64_t i = 0; i < sequence.count; ++i) {
    units += ChunksOf(batch_.token_pos[sequence.first_token + i] + 1) * kv_heads_;
  }
  return units;
}

int64_t AttentionUnits::count() const {
  int64_t units = 0;
  for (const BatchSequence& sequence : batch_.sequences) units += UnitsOf(sequence);
  return units;
}

AttentionUnit AttentionUnits::Chunk(int64_t sequence, int64_t token, int64_t kv_head, int64_t chunk,
                                    int64_t parts_before) const {
  const int64_t visible = batch_.token_pos[token] + 1;
  const int64_t positions = ChunkPositions(visible, max_chunks_);
  const int64_t chunks = ChunksOf(visible);
  return {.sequence = sequence,
          .kv_head = kv_head,
          .token = token,
          .tokens = 1,
          .begin = chunk * positions,
          .end = std::min((chunk + 1) * positions, visible),
          .chunk = chunk,
          .chunks = chunks,
          .part = parts_before + kv_head * chunks + chunk};
}

AttentionUnit AttentionUnits::At(int64_t unit) const {
  int64_t parts = 0;
  int64_t index = 0;
  for (const BatchSequence& sequence : batch_.sequences) {
    const int64_t units = UnitsOf(sequence);
    if (unit >= units) {
      unit -= units;
      parts += IsFew(sequence) ? units : 0;
      ++index;
      continue;
    }
    if (!IsFew(sequence)) {
      const int64_t blocks = Blocks(sequence);
      const int64_t first = BlockAt(unit % blocks, blocks) * kTokenBlock;
      const int64_t tokens = std::min<int64_t>(kTokenBlock, sequence.count - first);
      return {.sequence = index,
              .kv_head = unit / blocks,
              .token = sequence.first_token + first,
              .tokens = tokens,
              .begin = 0,
              .end = batch_.token_pos[sequence.first_token + first + tokens - 1] + 1,
              .chunk = 0,
              .chunks = 1,
              .part = 0};
    }
    for (int64_t token = sequence.first_token;; ++token) {
      const int64_t chunks = ChunksOf(batch_.token_pos[token] + 1);
      if (unit < chunks * kv_heads_) {
        return Chunk(index, token, unit / chunks, unit % chunks, parts);
      }
      unit -= chunks * kv_heads_;
      parts += chunks * kv_heads_;
    }
  }
  return {};
}

int64_t AttentionUnits::merges() const {
  int64_t merges = 0;
  for (const BatchSequence& sequence : batch_.sequences) {
    if (!IsFew(sequence)) continue;
    for (int64_t i = 0; i < sequence.count; ++i) {
      merges += ChunksOf(batch_.token_pos[sequence.first_token + i] + 1) > 1 ? kv_heads_ : 0;
    }
  }
  return merges;
}

AttentionUnit AttentionUnits::MergeAt(int64_t merge) const {
  int64_t parts = 0;
  int64_t index = 0;
  for (const BatchSequence& sequence : batch_.sequences) {
    for (int64_t i = 0; IsFew(sequence) && i < sequence.count; ++i) {
      const int64_t token = sequence.first_token + i;
      const int64_t chunks = ChunksOf(batch_.token_pos[token] + 1);
      if (chunks > 1) {
        if (merge < kv_heads_) return Chunk(index, token, merge, 0, parts);
        merge -= kv_heads_;
      }
      parts += chunks * kv_heads_;
    }
    ++index;
  }
  return {};
}

}  // namespace infer::simd
