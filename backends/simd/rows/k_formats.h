// SPDX-License-Identifier: Apache-2.0
//
// Blocks of 256 weights with a scale per 16 or 32, in the form that the products of product.h read:
// eight times 32 bytes, a scale per group, and in some types a minimum that is added. Layouts:
// backends/formats.
#pragma once

#include <cstdint>

#include "backends/formats/k_blocks.h"
#include "backends/formats/table_blocks.h"
#include "backends/simd/isa/bytes.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

template <class BlockType, int kGroupElements, bool kMins>
struct KFormat {
  using Block = BlockType;
  static constexpr int kGroup = kGroupElements;
  static constexpr bool kSigned = !kMins;
  static constexpr bool kHasMin = kMins;
  struct Scales {
    float scale[256 / kGroupElements];
    float min[256 / kGroupElements];
  };
};

// Reads 8 scales and 8 mins of 6 bits, four bytes of `packed` at a time.
template <class Block, class Scales>
inline void ReadScalesAndMins(const Block& block, Scales* scales) {
  uint32_t word[3];
  __builtin_memcpy(word, block.scales_and_mins, sizeof(word));
  constexpr uint32_t kLow6 = 0x3f3f3f3f, kLow4 = 0x0f0f0f0f, kLow2 = 0x03030303;
  const uint32_t packed[4] = {word[0] & kLow6, (word[2] & kLow4) | (word[0] >> 6 & kLow2) << 4,
                              word[1] & kLow6,
                              (word[2] >> 4 & kLow4) | (word[1] >> 6 & kLow2) << 4};
  uint8_t bytes[16];
  __builtin_memcpy(bytes, packed, sizeof(bytes));
  const float scale = HalfAt(&block.scale.low), min = -HalfAt(&block.min.low);
  for (int i = 0; i < 8; ++i) scales->scale[i] = scale * static_cast<float>(bytes[i]);
  for (int i = 0; i < 8; ++i) scales->min[i] = min * static_cast<float>(bytes[8 + i]);
}

struct FormatQ4_K : KFormat<formats::BlockQ4_K, 32, true> {
  static void Read(const Block& block, Scales* scales) { ReadScalesAndMins(block, scales); }
  template <int kChunk>
  static Bytes32 Quants(const Block& block) {
    return Field<kChunk % 2 * 4, 15>(Load32(block.quants + kChunk / 2 * 32));
  }
};

struct FormatQ5_K : KFormat<formats::BlockQ5_K, 32, true> {
  static void Read(const Block& block, Scales* scales) { ReadScalesAndMins(block, scales); }
  template <int kChunk>
  static Bytes32 Quants(const Block& block) {
    const Bytes32 low = Field<kChunk % 2 * 4, 15>(Load32(block.quants + kChunk / 2 * 32));
    return Or(low, ShiftLeft<4>(Field<kChunk, 1>(Load32(block.high))));
  }
};

struct FormatQ2_K : KFormat<formats::BlockQ2_K, 16, true> {
  static void Read(const Block& block, Scales* scales) {
    const float scale = HalfAt(&block.scale.low), min = -HalfAt(&block.min.low);
    for (int i = 0; i < 16; ++i) {
      scales->scale[i] = scale * static_cast<float>(block.scales_and_mins[i] & 15);
      scales->min[i] = min * static_cast<float>(block.scales_and_mins[i] >> 4);
    }
  }
  template <int kChunk>
  static Bytes32 Quants(const Block& block) {
    return Field<kChunk % 4 * 2, 3>(Load32(block.quants + kChunk / 4 * 32));
  }
};

struct FormatQ3_K : KFormat<formats::BlockQ3_K, 16, false> {
  static void Read(const Block& block, Scales* scales) {
    const float scale = HalfAt(&block.scale.low);
    for (int i = 0; i < 16; ++i) {
      const int low = block.scales[i % 8] >> (i / 8 * 4) & 15;
      const int high = block.scales[8 + i % 4] >> (i / 4 * 2) & 3;
      scales->scale[i] = scale * static_cast<float>((low | high << 4) - 32);
    }
  }
  template <int kChunk>
  static Bytes32 Quants(const Block& block) {
    const Bytes32 low = Field<kChunk % 4 * 2, 3>(Load32(block.quants + kChunk / 4 * 32));
    return Subtract(Or(low, ShiftLeft<2>(Field<kChunk, 1>(Load32(block.high)))), 4);
  }
};

struct FormatQ6_K : KFormat<formats::BlockQ6_K, 16, false> {
  static void Read(const Block& block, Scales* scales) {
    const float scale = HalfAt(&block.scale.low);
    for (int i = 0; i < 16; ++i) scales->scale[i] = scale * static_cast<float>(block.scales[i]);
  }
  template <int kChunk>
  static Bytes32 Quants(const Block& block) {
    const uint8_t* quants = block.quants + (kChunk / 4 * 2 + kChunk % 2) * 32;
    const Bytes32 low = Field<kChunk % 4 / 2 * 4, 15>(Load32(quants));
    const Bytes32 high = Field<kChunk % 4 * 2, 3>(Load32(block.high + kChunk / 4 * 32));
    return Subtract(Or(low, ShiftLeft<4>(high)), 32);
  }
};

struct FormatIQ4_XS : KFormat<formats::BlockIQ4_XS, 32, false> {
  static void Read(const Block& block, Scales* scales) {
    const float scale = HalfAt(&block.scale.low);
    for (int i = 0; i < 8; ++i) {
      const int low = block.scales_low[i / 2] >> (i % 2 * 4) & 15;
      const int high = block.scales_high[i / 4] >> (i % 4 * 2) & 3;
      scales->scale[i] = scale * static_cast<float>((low | high << 4) - 32);
    }
  }
  template <int kChunk>
  static Bytes32 Quants(const Block& block) {
    const Bytes32 indices = SplitNibbles(Load16(block.indices + kChunk * 16));
    return Lookup(Load16(formats::kIq4Values), indices);
  }
};

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
