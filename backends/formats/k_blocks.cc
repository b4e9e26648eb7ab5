// SPDX-License-Identifier: Apache-2.0
//
// Products are rounded in the order (scale * group_scale) * quant, as in the software that writes
// the files: the other order gives different bits.
#include "backends/formats/k_blocks.h"

namespace infer::formats {
namespace {

constexpr int kPlane = 32;  // consecutive elements in consecutive bytes

// 2 bits per element for 256 elements, 128 elements in 32 bytes.
void UnpackPairs(const uint8_t* packed, int8_t* quants) {
  for (int plane = 0; plane < 8; ++plane) {
    const uint8_t* bytes = packed + plane / 4 * kPlane;
    const int shift = 2 * (plane % 4);
    for (int i = 0; i < kPlane; ++i) quants[plane * kPlane + i] = bytes[i] >> shift & 3;
  }
}

// 4 bits per element for 256 elements, 64 elements in 32 bytes.
void UnpackNibbles(const uint8_t* packed, int8_t* quants) {
  for (int plane = 0; plane < 8; ++plane) {
    const uint8_t* bytes = packed + plane / 2 * kPlane;
    const int shift = 4 * (plane % 2);
    for (int i = 0; i < kPlane; ++i) quants[plane * kPlane + i] = bytes[i] >> shift & 15;
  }
}

// Adds `always` to every element, and `worth` where its bit in the 32 bytes of `high` is set.
void AddHighBits(const uint8_t* high, int worth, int always, int8_t* quants) {
  for (int plane = 0; plane < 8; ++plane) {
    int8_t* part = quants + plane * kPlane;
    for (int i = 0; i < kPlane; ++i) {
      part[i] = static_cast<int8_t>(part[i] + (high[i] >> plane & 1) * worth + always);
    }
  }
}

template <class Block>
void Scale(const float* group_scales, const int8_t* quants, float* out) {
  for (int i = 0; i < Block::kElements; ++i) {
    out[i] = group_scales[i / Block::kGroupElements] * static_cast<float>(quants[i]);
  }
}

template <class Block>
void ScaleAndShift(const float* group_scales, const float* group_mins, const int8_t* quants,
                   float* out) {
  for (int i = 0; i < Block::kElements; ++i) {
    const int group = i / Block::kGroupElements;
    out[i] = group_scales[group] * static_cast<float>(quants[i]) - group_mins[group];
  }
}

// Q4_K and Q5_K, which differ only in their quants.
template <class Block>
void DequantizeWithMins(const Block& block, float* out) {
  uint8_t scales[8];
  uint8_t mins[8];
  UnpackScalesAndMins(block.scales_and_mins, scales, mins);
  float group_scales[8];
  float group_mins[8];
  for (int group = 0; group < 8; ++group) {
    group_scales[group] = WidenHalf(block.scale) * static_cast<float>(scales[group]);
    group_mins[group] = WidenHalf(block.min) * static_cast<float>(mins[group]);
  }
  int8_t quants[Block::kElements];
  UnpackQuants(block, quants);
  ScaleAndShift<Block>(group_scales, group_mins, quants, out);
}

// Q3_K and Q6_K.
template <class Block>
void DequantizeSigned(const Block& block, const int8_t* scales, float* out) {
  float group_scales[16];
  for (int group = 0; group < 16; ++group) {
    group_scales[group] = WidenHalf(block.scale) * static_cast<float>(scales[group]);
  }
  int8_t quants[Block::kElements];
  UnpackQuants(block, quants);
  Scale<Block>(group_scales, quants, out);
}

}  // namespace

void UnpackQuants(const BlockQ2_K& block, int8_t* quants) { UnpackPairs(block.quants, quants); }

void UnpackQuants(const BlockQ3_K& block, int8_t* quants) {
  UnpackPairs(block.quants, quants);
  AddHighBits(block.high, 4, -4, quants);
}

void UnpackQuants(const BlockQ4_K& block, int8_t* quants) { UnpackNibbles(block.quants, quants); }

void UnpackQuants(const BlockQ5_K& block, int8_t* quants) {
  UnpackNibbles(block.quants, quants);
  AddHighBits(block.high, 16, 0, quants);
}

// Each half of 128 elements has its four planes in two runs of 32 bytes: first the low halves of
// both, then the high halves.
void UnpackQuants(const BlockQ6_K& block, int8_t* quants) {
  for (int plane = 0; plane < 8; ++plane) {
    const uint8_t* low = block.quants + (plane / 4 * 2 + plane % 2) * kPlane;
    const uint8_t* high = block.high + plane / 4 * kPlane;
    const int low_shift = plane % 4 / 2 * 4;
    const int high_shift = plane % 4 * 2;
    for (int i = 0; i < kPlane; ++i) {
      const int bits = (low[i] >> low_shift & 15) | (high[i] >> high_shift & 3) << 4;
      quants[plane * kPlane + i] = static_cast<int8_t>(bits - 32);
    }
  }
}

// Scales i and i + 8 share byte i for their low 4 bits; scales i, i + 4, i + 8 and i + 12 share
// byte 8 + i for their high 2 bits.
void UnpackScales(const BlockQ3_K& block, int8_t* scales) {
  for (int i = 0; i < 16; ++i) {
    const int low = block.scales[i % 8] >> (i / 8 * 4) & 15;
    const int high = block.scales[8 + i % 4] >> (i / 4 * 2) & 3;
    scales[i] = static_cast<int8_t>((low | high << 4) - 32);
  }
}

// Groups 0 to 3 have a byte each for the scale and the min, whose top 2 bits belong to groups 4 to
// 7; the other bits of groups 4 to 7 are in the last four bytes.
void UnpackScalesAndMins(const uint8_t* packed, uint8_t* scales, uint8_t* mins) {
  for (int i = 0; i < 4; ++i) {
    scales[i] = packed[i] & 63;
    mins[i] = packed[i + 4] & 63;
    scales[i + 4] = static_cast<uint8_t>((packed[i + 8] & 15) | packed[i] >> 6 << 4);
    mins[i + 4] = static_cast<uint8_t>(packed[i + 8] >> 4 | packed[i + 4] >> 6 << 4);
  }
}

void Dequantize(const BlockQ2_K& block, float* out) {
  float group_scales[16];
  float group_mins[16];
  for (int group = 0; group < 16; ++group) {
    const uint8_t packed = block.scales_and_mins[group];
    group_scales[group] = WidenHalf(block.scale) * static_cast<float>(packed & 15);
    group_mins[group] = WidenHalf(block.min) * static_cast<float>(packed >> 4);
  }
  int8_t quants[BlockQ2_K::kElements];
  UnpackQuants(block, quants);
  ScaleAndShift<BlockQ2_K>(group_scales, group_mins, quants, out);
}

void Dequantize(const BlockQ3_K& block, float* out) {
  int8_t scales[16];
  UnpackScales(block, scales);
  DequantizeSigned(block, scales, out);
}

void Dequantize(const BlockQ4_K& block, float* out) { DequantizeWithMins(block, out); }
void Dequantize(const BlockQ5_K& block, float* out) { DequantizeWithMins(block, out); }
void Dequantize(const BlockQ6_K& block, float* out) { DequantizeSigned(block, block.scales, out); }

}  // namespace infer::formats
