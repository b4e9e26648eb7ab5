// SPDX-License-Identifier: Apache-2.0
//
// What kernels need beyond C++. All assembly of the back end is in device_primitives.h; the other
// header has the same functions in plain C++, for the software device of the tests.
#pragma once

#include "backends/cuda/kernels/args.h"

namespace infer::cuda {
typedef int Int4 __attribute__((ext_vector_type(4)));
typedef int Int2 __attribute__((ext_vector_type(2)));
typedef float Float4 __attribute__((ext_vector_type(4)));
}  // namespace infer::cuda

#ifdef INFER_CUDA_EMULATION
#include "tests/cuda_emulation/plain_primitives.h"
#else
#include "backends/cuda/kernels/device_primitives.h"
#endif

namespace infer::cuda {

DEVICE inline float AsFloat(uint32_t bits) { return __builtin_bit_cast(float, bits); }
DEVICE inline uint32_t AsBits(float value) { return __builtin_bit_cast(uint32_t, value); }
DEVICE inline float Fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

DEVICE inline float HalfToFloat(uint16_t bits) {
  return static_cast<float>(__builtin_bit_cast(_Float16, bits));
}
DEVICE inline uint16_t FloatToHalf(float value) {
  return __builtin_bit_cast(uint16_t, static_cast<_Float16>(value));
}
DEVICE inline float Bf16ToFloat(uint16_t bits) {
  return AsFloat(static_cast<uint32_t>(bits) << 16);
}
// To the nearest, ties to even; a NaN stays one.
DEVICE inline uint16_t FloatToBf16(float value) {
  const uint32_t bits = AsBits(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
DEVICE inline uint32_t PackHalves(float low, float high) {
  return static_cast<uint32_t>(FloatToHalf(high)) << 16 | FloatToHalf(low);
}
DEVICE inline uint32_t PackBf16(float low, float high) {
  return static_cast<uint32_t>(FloatToBf16(high)) << 16 | FloatToBf16(low);
}

// Within 2 units of the last place; 0 below 2^-126.
DEVICE inline float Exp(float x) {
  if (!(x > -87.0f)) return x != x ? x : 0.0f;
  if (x > 88.8f) return AsFloat(0x7f800000);
  const float k = __builtin_rintf(x * 1.4426950408889634f);
  float r = Fma(-k, 0.693359375f, x);
  r = Fma(-k, -2.12194440e-4f, r);
  float p = 1.9875691500e-4f;
  p = Fma(p, r, 1.3981999507e-3f);
  p = Fma(p, r, 8.3334519073e-3f);
  p = Fma(p, r, 4.1665795894e-2f);
  p = Fma(p, r, 1.6666665459e-1f);
  p = Fma(p, r, 5.0000001201e-1f);
  p = Fma(p, r * r, r) + 1.0f;
  // In two steps: 2^128 is no float.
  const int whole = static_cast<int>(k), half = whole / 2;
  return p * AsFloat(static_cast<uint32_t>(half + 127) << 23) *
         AsFloat(static_cast<uint32_t>(whole - half + 127) << 23);
}

DEVICE inline float Silu(float x) { return x / (1.0f + Exp(-x)); }

// The same within a few units of the last place, in few instructions.
DEVICE inline float FastSilu(float x) {
  return x * Reciprocal(1.0f + Exp2(x * -1.4426950408889634f));
}

DEVICE inline float WarpSum(float value) {
  for (int mask = 16; mask > 0; mask >>= 1) value += ShuffleXor(value, mask);
  return value;
}

// The largest of non-negative numbers by their bits, so that a NaN wins.
DEVICE inline float WarpMaxAbs(float value) {
  uint32_t bits = AsBits(value) & 0x7fffffff;
  for (int mask = 16; mask > 0; mask >>= 1) {
    const uint32_t other = AsBits(ShuffleXor(AsFloat(bits), mask));
    bits = other > bits ? other : bits;
  }
  return AsFloat(bits);
}

// The sum over a block of `threads`, in every thread. `scratch` has a float for each warp.
DEVICE inline float BlockSum(float value, float* scratch, int threads) {
  value = WarpSum(value);
  if (ThreadIndex() % 32 == 0) scratch[ThreadIndex() / 32] = value;
  Barrier();
  float sum = 0;
  for (int i = 0; i < threads / 32; ++i) sum += scratch[i];
  Barrier();
  return sum;
}

}  // namespace infer::cuda
