// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/simd/isa/vec.h"

namespace infer::simd::INFER_SIMD_LEVEL {

// Quantises 32 floats to int8 from -127 to 127, ties to even, and returns their scale. If any is
// not finite, all become 0 with a scale of NaN, so that it shows in any product.
static inline float Quantize32(const float* x, int8_t* quants) {
  constexpr int kVectors = 32 / kLanes;
  Floats v[kVectors];
  Floats largest = Broadcast(0), trap = Broadcast(0);
  for (int i = 0; i < kVectors; ++i) {
    v[i] = Load(x + i * kLanes);
    largest = Max(largest, Abs(v[i]));
    trap = Fma(v[i], Broadcast(0), trap);  // NaN and infinity times zero are NaN
  }
  const float scale = Largest(largest) / 127.0f;
  if (AnyNan(trap)) {
    for (int i = 0; i < 32; ++i) quants[i] = 0;
    return __builtin_nanf("");
  }
  const float inverse = scale > 0 ? 1.0f / scale : 0.0f;
  // A scale below 2^-128 has no inverse, and converting infinity to an integer depends on the CPU.
  const bool divide = inverse == __builtin_inff();
  for (Floats& part : v) {
    part = divide ? Div(part, Broadcast(scale)) : Mul(part, Broadcast(inverse));
  }
  StoreInt8x32(quants, v);
  return scale;
}

// 32 activations in int8, with what products of any weight type need beside the numbers: sums of
// the first and the last 16 numbers, and the same times the scale.
struct RoundedBlock {
  int8_t quants[32];
  float scale;
  int32_t counts[2];
  float sums[2];
};

static inline RoundedBlock RoundBlock(const float* x) {
  RoundedBlock block;
  block.scale = Quantize32(x, block.quants);
  for (int i = 0; i < 2; ++i) {
    block.counts[i] = SumInt8x16(block.quants + 16 * i);
    block.sums[i] = block.scale * static_cast<float>(block.counts[i]);
  }
  return block;
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
