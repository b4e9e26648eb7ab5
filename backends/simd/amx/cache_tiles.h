// SPDX-License-Identifier: Apache-2.0
//
// A block of a cache as bf16 tiles of AMX: K with positions as rows, V with elements as rows, so
// that scores and results have query rows as columns, side by side in a register.
#pragma once

#include "backends/simd/isa/attention_kernels.h"
#include "backends/simd/isa/wide.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

constexpr int64_t kBlockPositions = 256;

// Sixteen elements of one vector of the cache; elements past the last are zero.
inline Floats16 CacheElements(DType dtype, const std::byte* vector, int64_t first,
                              int64_t head_dim) {
  if (dtype == DType::kQ8_0) {
    const std::byte* block = vector + first / 32 * 34;  // an f16 scale and 32 bytes
    return Mul16(LoadInt8x16(block + 2 + first % 32), SetHalf16(block));
  }
  if (first + 16 <= head_dim) return LoadF16x16(vector + 2 * first);
  uint16_t part[16] = {};
  if (first < head_dim) __builtin_memcpy(part, vector + 2 * first, 2 * (head_dim - first));
  return LoadF16x16(part);
}

// Finds the vectors of positions, which the blocks of the cache may divide.
struct CacheVectors {
  const AttentionCall& call;
  int64_t vector_bytes;

  explicit CacheVectors(const AttentionCall& from)
      : call(from),
        vector_bytes(from.cache.dtype == DType::kQ8_0 ? from.head_dim / 32 * 34
                                                      : from.head_dim * 2) {}

  const std::byte* At(const std::byte* head, int64_t position) const {
    const CacheHead& cache = call.cache;
    return head +
           cache.block_table[position / cache.block_positions] *
               static_cast<int64_t>(cache.block_stride_bytes) +
           position % cache.block_positions * vector_bytes;
  }
  void Fetch(const std::byte* head, int64_t position) const {
    const std::byte* vector = At(head, position);
    for (int64_t line = 0; line < vector_bytes; line += 64) FetchAhead(vector + line);
  }
};

// Vectors of K that are fetched ahead: the processor's own prefetching ends with each block of the
// cache. With V, which is fetched while K is read, it saves a third of a decoded token's attention.
constexpr int64_t kKeysAhead = 8;

// K of positions [begin, end) as tiles [position / 16][dim / 32] of 16 positions x 32 elements.
// Positions up to the next multiple of 32 are zero. Fetches V of the same positions.
inline void KeyTiles(const CacheVectors& vectors, int64_t begin, int64_t end, int64_t dim,
                     uint16_t* tiles) {
  const AttentionCall& call = vectors.call;
  const int64_t count = end - begin;
  for (int64_t p = 0; p < (count + 31) / 32 * 32; ++p) {
    uint16_t* to = tiles + p / 16 * 16 * dim + p % 16 * 32;
    const std::byte* vector = p < count ? vectors.At(call.cache.k, begin + p) : nullptr;
    if (p + kKeysAhead < count) vectors.Fetch(call.cache.k, begin + p + kKeysAhead);
    if (p < count) vectors.Fetch(call.cache.v, begin + p);
    for (int64_t d = 0; d < dim; d += 16) {
      const Floats16 v =
          vector == nullptr ? Set16(0) : CacheElements(call.cache.dtype, vector, d, call.head_dim);
      StoreBf16x16(to + d / 32 * 512 + d % 32, v);
    }
  }
}

// V of positions [begin, end) as tiles [dim / 16][position / 32] of 16 elements x 32 positions.
inline void ValueTiles(const CacheVectors& vectors, int64_t begin, int64_t end, int64_t dim,
                       uint16_t* tiles) {
  const AttentionCall& call = vectors.call;
  const int64_t count = end - begin;
  for (int64_t p = 0; p < count; p += 32) {
    const std::byte* at[32];
    for (int64_t i = 0; i < 32; ++i) {
      at[i] = p + i < count ? vectors.At(call.cache.v, begin + p + i) : nullptr;
    }
    for (int64_t d = 0; d < dim; d += 16) {
      Bytes64 pairs[16];
      for (int64_t i = 0; i < 16; ++i) {
        Floats16 both[2];
        for (int64_t j = 0; j < 2; ++j) {
          const std::byte* vector = at[2 * i + j];
          both[j] = vector == nullptr ? Set16(0)
                                      : CacheElements(call.cache.dtype, vector, d, call.head_dim);
        }
        pairs[i] = PairsRounded(both[0], both[1]);
      }
      Transpose16(pairs);
      uint16_t* to = tiles + (d / 16 * (kBlockPositions / 32) + p / 32) * 512;
      for (int64_t i = 0; i < 16; ++i) StoreBytes64(to + i * 32, pairs[i]);
    }
  }
}

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
