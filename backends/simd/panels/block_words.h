// SPDX-License-Identifier: Apache-2.0
//
// Reads the numbers of a block as the planes of a panel hold them: unsigned, without the offset of
// their format, four to a word. Words instead of bytes, because packing is bound by this.
#pragma once

#include <cstdint>
#include <cstring>

#include "backends/formats/k_blocks.h"
#include "backends/formats/simple_blocks.h"
#include "backends/formats/table_blocks.h"

namespace infer::simd {

// `kBits` bits of each of the four bytes of a word, from bit `from` on.
template <int kBits>
constexpr uint32_t BitsOfBytes(uint32_t word, int from) {
  return word >> from & ((1u << kBits) - 1) * 0x01010101u;
}

inline uint32_t WordAt(const void* bytes, int64_t i) {
  uint32_t word;
  std::memcpy(&word, static_cast<const uint8_t*>(bytes) + 4 * i, 4);
  return word;
}

// 32 nibbles: the low ones of 16 bytes, then the high ones.
inline void NibbleWords(const uint8_t* packed, uint32_t* words) {
  for (int i = 0; i < 4; ++i) {
    words[i] = BitsOfBytes<4>(WordAt(packed, i), 0);
    words[i + 4] = BitsOfBytes<4>(WordAt(packed, i), 4);
  }
}

// The lowest bit of the element 4 * i + j of a block becomes bit 4 of byte j of word i.
inline void AddFifthBits(const uint8_t* high, uint32_t* words) {
  const uint32_t bits = WordAt(high, 0);
  for (int i = 0; i < 8; ++i) {
    // Each factor of the product moves one of the four bits to the lowest place of its byte.
    words[i] |= ((bits >> 4 * i & 15) * 0x00204081u & 0x01010101u) << 4;
  }
}

// 256 elements in runs of 32; `kBits` bits of each, several runs sharing their bytes.
template <int kBits>
void PlaneWords(const uint8_t* packed, uint32_t* words) {
  constexpr int kShared = 8 / kBits;
  for (int plane = 0; plane < 8; ++plane) {
    for (int i = 0; i < 8; ++i) {
      words[plane * 8 + i] =
          BitsOfBytes<kBits>(WordAt(packed, plane / kShared * 8 + i), plane % kShared * kBits);
    }
  }
}

// Adds one bit of each element, which the 32 bytes of `high` hold by run, at bit `at`.
inline void AddHighPlanes(const uint8_t* high, int at, uint32_t* words) {
  for (int plane = 0; plane < 8; ++plane) {
    for (int i = 0; i < 8; ++i) {
      words[plane * 8 + i] |= BitsOfBytes<1>(WordAt(high, i), plane) << at;
    }
  }
}

inline void WordsOf(const formats::BlockQ8_0& block, uint32_t* words) {
  std::memcpy(words, block.quants, sizeof(block.quants));
}
inline void WordsOf(const formats::BlockQ4_0& block, uint32_t* words) {
  NibbleWords(block.quants, words);
}
inline void WordsOf(const formats::BlockQ4_1& block, uint32_t* words) {
  NibbleWords(block.quants, words);
}
inline void WordsOf(const formats::BlockQ5_0& block, uint32_t* words) {
  NibbleWords(block.quants, words);
  AddFifthBits(block.high, words);
}
inline void WordsOf(const formats::BlockQ5_1& block, uint32_t* words) {
  NibbleWords(block.quants, words);
  AddFifthBits(block.high, words);
}
inline void WordsOf(const formats::BlockQ2_K& block, uint32_t* words) {
  PlaneWords<2>(block.quants, words);
}
inline void WordsOf(const formats::BlockQ3_K& block, uint32_t* words) {
  PlaneWords<2>(block.quants, words);
  AddHighPlanes(block.high, 2, words);
}
inline void WordsOf(const formats::BlockQ4_K& block, uint32_t* words) {
  PlaneWords<4>(block.quants, words);
}
inline void WordsOf(const formats::BlockQ5_K& block, uint32_t* words) {
  PlaneWords<4>(block.quants, words);
  AddHighPlanes(block.high, 4, words);
}
// Each half of 128 elements has its low bits in two runs of 32 bytes, which hold the low halves of
// the first two planes and the high halves of the last two.
inline void WordsOf(const formats::BlockQ6_K& block, uint32_t* words) {
  for (int plane = 0; plane < 8; ++plane) {
    const uint8_t* low = block.quants + (plane / 4 * 2 + plane % 2) * 32;
    const uint8_t* high = block.high + plane / 4 * 32;
    for (int i = 0; i < 8; ++i) {
      words[plane * 8 + i] = BitsOfBytes<4>(WordAt(low, i), plane % 4 / 2 * 4) |
                             BitsOfBytes<2>(WordAt(high, i), plane % 4 * 2) << 4;
    }
  }
}
inline void WordsOf(const formats::BlockIQ4_NL& block, uint32_t* words) {
  NibbleWords(block.indices, words);
}
inline void WordsOf(const formats::BlockMXFP4& block, uint32_t* words) {
  NibbleWords(block.indices, words);
}
inline void WordsOf(const formats::BlockIQ4_XS& block, uint32_t* words) {
  for (int run = 0; run < 8; ++run) NibbleWords(block.indices + run * 16, words + run * 8);
}

}  // namespace infer::simd
