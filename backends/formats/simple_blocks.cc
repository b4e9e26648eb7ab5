// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/simple_blocks.h"

namespace infer::formats {
namespace {

// Unpacks four bits per element and subtracts `zero`.
void UnpackNibbles(const uint8_t* packed, int zero, int8_t* quants) {
  for (int i = 0; i < 16; ++i) {
    quants[i] = static_cast<int8_t>((packed[i] & 15) - zero);
    quants[i + 16] = static_cast<int8_t>((packed[i] >> 4) - zero);
  }
}

void AddFifthBits(const uint8_t* high, int8_t* quants) {
  const uint32_t bits =
      high[0] | high[1] << 8 | high[2] << 16 | static_cast<uint32_t>(high[3]) << 24;
  for (int i = 0; i < 32; ++i) quants[i] = static_cast<int8_t>(quants[i] + (bits >> i & 1) * 16);
}

void Scale(float scale, const int8_t* quants, float* out) {
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(quants[i]);
}

void ScaleAndShift(float scale, float min, const int8_t* quants, float* out) {
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(quants[i]) + min;
}

}  // namespace

void UnpackQuants(const BlockQ4_0& block, int8_t* quants) {
  UnpackNibbles(block.quants, 8, quants);
}

void UnpackQuants(const BlockQ4_1& block, int8_t* quants) {
  UnpackNibbles(block.quants, 0, quants);
}

void UnpackQuants(const BlockQ5_0& block, int8_t* quants) {
  UnpackNibbles(block.quants, 16, quants);
  AddFifthBits(block.high, quants);
}

void UnpackQuants(const BlockQ5_1& block, int8_t* quants) {
  UnpackNibbles(block.quants, 0, quants);
  AddFifthBits(block.high, quants);
}

void Dequantize(const BlockQ4_0& block, float* out) {
  int8_t quants[32];
  UnpackQuants(block, quants);
  Scale(WidenHalf(block.scale), quants, out);
}

void Dequantize(const BlockQ4_1& block, float* out) {
  int8_t quants[32];
  UnpackQuants(block, quants);
  ScaleAndShift(WidenHalf(block.scale), WidenHalf(block.min), quants, out);
}

void Dequantize(const BlockQ5_0& block, float* out) {
  int8_t quants[32];
  UnpackQuants(block, quants);
  Scale(WidenHalf(block.scale), quants, out);
}

void Dequantize(const BlockQ5_1& block, float* out) {
  int8_t quants[32];
  UnpackQuants(block, quants);
  ScaleAndShift(WidenHalf(block.scale), WidenHalf(block.min), quants, out);
}

void Dequantize(const BlockQ8_0& block, float* out) {
  Scale(WidenHalf(block.scale), block.quants, out);
}

}  // namespace infer::formats
