// SPDX-License-Identifier: Apache-2.0
//
// Products with bf16 weights, from the file's rows: weights are widened to f32 and multiplied
// there, exact except for the rounding of f32 sums. Tiles for many tokens: bfmmla, activations
// rounded to bf16 (relative RMS error 1.7e-3).
#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#include "backends/simd/i8mm/float_activations.h"
#include "backends/simd/i8mm/float_kernels.h"
#include "backends/simd/i8mm/tile_product.h"

namespace infer::simd::i8mm {
namespace {

constexpr int kChunk = 32;                // elements of a row processed at a time: 8 sums
constexpr int64_t kAheadElements = 8192;  // prefetched to L3, as in linear_f16.cc

// Widens even and odd elements of 8 weights to floats: the halves of each 32-bit word.
inline void AddProducts(float32x4_t* sums, const uint16_t* row, const float* x) {
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const uint32x4_t w = vreinterpretq_u32_u16(vld1q_u16(row + 8 * j));
    const float32x4_t even = vreinterpretq_f32_u32(vshlq_n_u32(w, 16));
    const float32x4_t odd = vreinterpretq_f32_u32(vandq_u32(w, vdupq_n_u32(0xffff0000u)));
    sums[2 * j] = vfmaq_f32(sums[2 * j], even, vld1q_f32(x + 8 * j));
    sums[2 * j + 1] = vfmaq_f32(sums[2 * j + 1], odd, vld1q_f32(x + 8 * j + 4));
  }
}

// Puts the activations in the order of AddProducts: 4 even, 4 odd elements of each 8; zeros up to a
// whole chunk.
void SplitEvenOdd(const float* x, int64_t inner, float* out) {
  int64_t i = 0;
  for (; i + 8 <= inner; i += 8) {
    const float32x4_t low = vld1q_f32(x + i), high = vld1q_f32(x + i + 4);
    vst1q_f32(out + i, vuzp1q_f32(low, high));
    vst1q_f32(out + i + 4, vuzp2q_f32(low, high));
  }
  const int64_t padded = (inner + kChunk - 1) / kChunk * kChunk;
  for (int64_t j = i; j < padded; ++j) out[j] = 0;
  for (; i < inner; ++i) out[i / 8 * 8 + i % 2 * 4 + i % 8 / 2] = x[i];
}

constexpr int64_t kVectorTokens = 16;  // that pass over a weight row together

int64_t SplitFloats(int64_t inner) { return (inner + kChunk - 1) / kChunk * kChunk; }

inline float MultiplyRow(const uint16_t* row, const float* x, int64_t inner) {
  float32x4_t sums[8];
  for (float32x4_t& sum : sums) sum = vdupq_n_f32(0);
  int64_t i = 0;
  for (; i + kChunk <= inner; i += kChunk) {
    __builtin_prefetch(row + i + kAheadElements, 0, 1);
    AddProducts(sums, row + i, x + i);
  }
  if (i < inner) {
    uint16_t last[kChunk] = {};
    memcpy(last, row + i, static_cast<size_t>(inner - i) * 2);
    AddProducts(sums, last, x + i);
  }
  for (int half = 4; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) sums[j] = vaddq_f32(sums[j], sums[j + half]);
  }
  return vaddvq_f32(sums[0]);
}

// Tokens [first, last), of which all but the first read a weight row from the nearest cache.
void MultiplyTokens(const LinearCall& call, int64_t first, int64_t last, int64_t begin,
                    int64_t end) {
  const int64_t inner = call.inner;
  auto* x = reinterpret_cast<float*>(call.scratch);
  const auto* activations = reinterpret_cast<const float*>(call.activations);
  for (int64_t t = first; t < last; ++t) {
    SplitEvenOdd(activations + t * inner, inner, x + (t - first) * SplitFloats(inner));
  }
  const uint16_t* row = reinterpret_cast<const uint16_t*>(call.weight) + begin * inner;
  for (int64_t column = begin; column < end; ++column, row += inner) {
    for (int64_t t = first; t < last; ++t) {
      call.out[t * call.out_stride + column] =
          MultiplyRow(row, x + (t - first) * SplitFloats(inner), inner);
    }
  }
}

void VectorProduct(const LinearCall& call, int64_t begin, int64_t end) {
  for (int64_t t = 0; t < call.tokens; t += kVectorTokens) {
    const int64_t last = call.tokens - t < kVectorTokens ? call.tokens : t + kVectorTokens;
    MultiplyTokens(call, t, last, begin, end);
  }
}

uint64_t VectorScratchBytes(int64_t tokens, int64_t inner) {
  const int64_t rows = tokens < kVectorTokens ? tokens : kVectorTokens;
  return static_cast<uint64_t>(rows * SplitFloats(inner)) * 4;
}

ActivationForm VectorForm(int64_t) { return ActivationForm::kF32; }
ActivationForm TileForm(int64_t) { return ActivationForm::kBf16Tiles; }
std::string_view VectorNumerics(int64_t, int64_t) { return "f32 even odd"; }

}  // namespace

const LinearKernel kLinearBf16 = {.form = VectorForm,
                                  .scratch_bytes = VectorScratchBytes,
                                  .run = VectorProduct,
                                  .numerics = VectorNumerics};
const LinearKernel kTilesBf16 = {
    .form = TileForm, .scratch_bytes = TileScratchBytes, .run = TileProduct<Bf16Weights>};

}  // namespace infer::simd::i8mm
