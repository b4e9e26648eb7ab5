// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/table_blocks.h"

#include <bit>

namespace infer::formats {
namespace {

// 32 elements from 16 bytes.
void LookUp(const int8_t* table, const uint8_t* indices, int8_t* quants) {
  for (int i = 0; i < 16; ++i) {
    quants[i] = table[indices[i] & 15];
    quants[i + 16] = table[indices[i] >> 4];
  }
}

void Scale(float scale, const int8_t* quants, float* out) {
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(quants[i]);
}

}  // namespace

void UnpackQuants(const BlockIQ4_NL& block, int8_t* quants) {
  LookUp(kIq4Values, block.indices, quants);
}

void UnpackQuants(const BlockIQ4_XS& block, int8_t* quants) {
  for (int group = 0; group < 8; ++group) {
    LookUp(kIq4Values, block.indices + 16 * group, quants + 32 * group);
  }
}

void UnpackQuants(const BlockMXFP4& block, int8_t* quants) {
  LookUp(kMxfp4Values, block.indices, quants);
}

void UnpackScales(const BlockIQ4_XS& block, int8_t* scales) {
  for (int group = 0; group < 8; ++group) {
    const int low = block.scales_low[group / 2] >> (group % 2 * 4) & 15;
    const int high = block.scales_high[group / 4] >> (group % 4 * 2) & 3;
    scales[group] = static_cast<int8_t>((low | high << 4) - 32);
  }
}

float Mxfp4Scale(uint8_t exponent) {
  // Below 2^-126 a float is subnormal: 2^-127 and 2^-128 are its top mantissa bits.
  const uint32_t bits = exponent < 2 ? 0x200000u << exponent : (exponent - 1u) << 23;
  return std::bit_cast<float>(bits);
}

void Dequantize(const BlockIQ4_NL& block, float* out) {
  int8_t quants[BlockIQ4_NL::kElements];
  UnpackQuants(block, quants);
  Scale(WidenHalf(block.scale), quants, out);
}

void Dequantize(const BlockIQ4_XS& block, float* out) {
  int8_t quants[BlockIQ4_XS::kElements];
  int8_t scales[8];
  UnpackQuants(block, quants);
  UnpackScales(block, scales);
  for (int group = 0; group < 8; ++group) {
    const float scale = WidenHalf(block.scale) * static_cast<float>(scales[group]);
    Scale(scale, quants + 32 * group, out + 32 * group);
  }
}

void Dequantize(const BlockMXFP4& block, float* out) {
  int8_t quants[BlockMXFP4::kElements];
  UnpackQuants(block, quants);
  Scale(Mxfp4Scale(block.exponent), quants, out);
}

}  // namespace infer::formats
