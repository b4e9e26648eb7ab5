// SPDX-License-Identifier: Apache-2.0
//
// Blocks of 256 elements with a scale for each group of 16 or 32: Q2_K, Q3_K, Q4_K, Q5_K, Q6_K. The
// group scales are small integers, multiplied by the block's own scale. An element is scale *
// group_scale * quant, minus min * group_min in Q2_K, Q4_K and Q5_K.
//
// The bits of an element are spread over planes: bytes that hold elements 32 or 64 apart, the first
// of them in the lowest bits.
#pragma once

#include <cstdint>

#include "backends/formats/half_bits.h"

namespace infer::formats {

struct BlockQ2_K {
  static constexpr int kElements = 256;
  static constexpr int kGroupElements = 16;
  uint8_t scales_and_mins[16];  // scale in the low half, min in the high half
  uint8_t quants[64];           // 32 bytes hold 128 elements, 2 bits each
  HalfBits scale;
  HalfBits min;
};
static_assert(sizeof(BlockQ2_K) == 84);

struct BlockQ3_K {
  static constexpr int kElements = 256;
  static constexpr int kGroupElements = 16;
  uint8_t high[32];    // the third bit of element i is bit i / 32 of byte i % 32
  uint8_t quants[64];  // as in Q2_K
  uint8_t scales[12];
  HalfBits scale;
};
static_assert(sizeof(BlockQ3_K) == 110);

struct BlockQ4_K {
  static constexpr int kElements = 256;
  static constexpr int kGroupElements = 32;
  HalfBits scale;
  HalfBits min;
  uint8_t scales_and_mins[12];
  uint8_t quants[128];  // 32 bytes hold 64 elements, 4 bits each
};
static_assert(sizeof(BlockQ4_K) == 144);

struct BlockQ5_K {
  static constexpr int kElements = 256;
  static constexpr int kGroupElements = 32;
  HalfBits scale;
  HalfBits min;
  uint8_t scales_and_mins[12];
  uint8_t high[32];     // the fifth bit of element i is bit i / 32 of byte i % 32
  uint8_t quants[128];  // as in Q4_K
};
static_assert(sizeof(BlockQ5_K) == 176);

struct BlockQ6_K {
  static constexpr int kElements = 256;
  static constexpr int kGroupElements = 16;
  uint8_t quants[128];  // 64 bytes hold the low 4 bits of 128 elements
  uint8_t high[64];     // 32 bytes hold the high 2 bits of 128 elements
  int8_t scales[16];
  HalfBits scale;
};
static_assert(sizeof(BlockQ6_K) == 210);

// Unpack the 256 quants to the integers that the scales multiply.
void UnpackQuants(const BlockQ2_K& block, int8_t* quants);  // 0 to 3
void UnpackQuants(const BlockQ3_K& block, int8_t* quants);  // -4 to 3
void UnpackQuants(const BlockQ4_K& block, int8_t* quants);  // 0 to 15
void UnpackQuants(const BlockQ5_K& block, int8_t* quants);  // 0 to 31
void UnpackQuants(const BlockQ6_K& block, int8_t* quants);  // -32 to 31

// Unpacks the group scales of Q3_K: 16 numbers from -32 to 31.
void UnpackScales(const BlockQ3_K& block, int8_t* scales);
// Unpacks the 12 bytes of Q4_K and Q5_K: 8 scales and 8 mins from 0 to 63.
void UnpackScalesAndMins(const uint8_t* packed, uint8_t* scales, uint8_t* mins);

void Dequantize(const BlockQ2_K& block, float* out);
void Dequantize(const BlockQ3_K& block, float* out);
void Dequantize(const BlockQ4_K& block, float* out);
void Dequantize(const BlockQ5_K& block, float* out);
void Dequantize(const BlockQ6_K& block, float* out);

}  // namespace infer::formats
