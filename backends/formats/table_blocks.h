// SPDX-License-Identifier: Apache-2.0
//
// Blocks of 4-bit indices into a table of 16 values: IQ4_NL, IQ4_XS, MXFP4. An element is
// scale * table[index]; indices of elements i and i + 16 share a byte, the first in its low half.
#pragma once

#include <cstdint>

#include "backends/formats/half_bits.h"

namespace infer::formats {

// IQ4_NL and IQ4_XS: steps grow with the distance from zero.
inline constexpr int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                          1,    13,   25,  38,  53,  69,  89,  113};

// MXFP4: the numbers that 1 sign, 2 exponent and 1 mantissa bit can represent, doubled to be
// integers. Index 8, minus zero, stands for plus zero.
inline constexpr int8_t kMxfp4Values[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                            0, -1, -2, -3, -4, -6, -8, -12};

struct BlockIQ4_NL {
  static constexpr int kElements = 32;
  HalfBits scale;
  uint8_t indices[16];
};
static_assert(sizeof(BlockIQ4_NL) == 18);

// Eight groups of 32, each with a scale from -32 to 31.
struct BlockIQ4_XS {
  static constexpr int kElements = 256;
  static constexpr int kGroupElements = 32;
  HalfBits scale;
  uint8_t scales_high[2];  // 2 bits per group, a little-endian 16-bit number
  uint8_t scales_low[4];   // 4 bits per group
  uint8_t indices[128];
};
static_assert(sizeof(BlockIQ4_XS) == 136);

struct BlockMXFP4 {
  static constexpr int kElements = 32;
  uint8_t exponent;  // the scale is 2^(exponent - 127)
  uint8_t indices[16];
};
static_assert(sizeof(BlockMXFP4) == 17);

// Unpack the elements to entries of the table.
void UnpackQuants(const BlockIQ4_NL& block, int8_t* quants);
void UnpackQuants(const BlockIQ4_XS& block, int8_t* quants);
void UnpackQuants(const BlockMXFP4& block, int8_t* quants);

void UnpackScales(const BlockIQ4_XS& block, int8_t* scales);

// Returns the factor of the entries of kMxfp4Values: 2^(exponent - 128). The MX standard defines a
// block with exponent 255 as NaN; the quantizers never write it and their reader treats it as
// 2^127, as does this function.
float Mxfp4Scale(uint8_t exponent);

void Dequantize(const BlockIQ4_NL& block, float* out);
void Dequantize(const BlockIQ4_XS& block, float* out);
void Dequantize(const BlockMXFP4& block, float* out);

}  // namespace infer::formats
