// SPDX-License-Identifier: Apache-2.0
//
// Blocks of 32 elements with one scale: Q4_0, Q4_1, Q5_0, Q5_1, Q8_0. An element is scale * quant,
// or scale * quant + min in the types that end in _1.
//
// The 4-bit parts of elements i and i + 16 share byte i, the first of them in its low half; the
// fifth bit of element i is bit i of `high`, a little-endian 32-bit number.
#pragma once

#include <cstdint>

#include "backends/formats/half_bits.h"

namespace infer::formats {

struct BlockQ4_0 {
  static constexpr int kElements = 32;
  HalfBits scale;
  uint8_t quants[16];
};
static_assert(sizeof(BlockQ4_0) == 18);

struct BlockQ4_1 {
  static constexpr int kElements = 32;
  HalfBits scale;
  HalfBits min;
  uint8_t quants[16];
};
static_assert(sizeof(BlockQ4_1) == 20);

struct BlockQ5_0 {
  static constexpr int kElements = 32;
  HalfBits scale;
  uint8_t high[4];
  uint8_t quants[16];
};
static_assert(sizeof(BlockQ5_0) == 22);

struct BlockQ5_1 {
  static constexpr int kElements = 32;
  HalfBits scale;
  HalfBits min;
  uint8_t high[4];
  uint8_t quants[16];
};
static_assert(sizeof(BlockQ5_1) == 24);

struct BlockQ8_0 {
  static constexpr int kElements = 32;
  HalfBits scale;
  int8_t quants[32];
};
static_assert(sizeof(BlockQ8_0) == 34);

// Unpack the 32 quants to the integers that the scale multiplies.
void UnpackQuants(const BlockQ4_0& block, int8_t* quants);  // -8 to 7
void UnpackQuants(const BlockQ4_1& block, int8_t* quants);  // 0 to 15
void UnpackQuants(const BlockQ5_0& block, int8_t* quants);  // -16 to 15
void UnpackQuants(const BlockQ5_1& block, int8_t* quants);  // 0 to 31

void Dequantize(const BlockQ4_0& block, float* out);
void Dequantize(const BlockQ4_1& block, float* out);
void Dequantize(const BlockQ5_0& block, float* out);
void Dequantize(const BlockQ5_1& block, float* out);
void Dequantize(const BlockQ8_0& block, float* out);

}  // namespace infer::formats
