// SPDX-License-Identifier: Apache-2.0
//
// Products with f16 weights, from the file's rows: fmlal, f16 times f16 into f32, activations
// rounded to f16 (relative RMS error 2.6e-4), two tokens at a time. Tiles for many tokens: bfmmla,
// both sides rounded to bf16 (2.4e-3).
#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#include "backends/simd/i8mm/float_activations.h"
#include "backends/simd/i8mm/float_kernels.h"
#include "backends/simd/i8mm/tile_product.h"

namespace infer::simd::i8mm {
namespace {

// Weights are prefetched 16 KiB ahead, to L3 only: 34.8 GB/s where the hardware's own prefetching
// gives 25.5. To L2 30.2, 2 KiB ahead 25.3; with more than 2 tokens the instruction costs more than
// it gains.
constexpr int64_t kAheadElements = 8192;

inline float16x8_t LoadHalves(const uint16_t* p) { return vreinterpretq_f16_u16(vld1q_u16(p)); }

// Adds kUnroll vectors of 8 from one weight row, each sum in its own chain: fmlal has a latency of
// 4 and issues 4 times per cycle.
template <int kTokens, int kUnroll>
inline void AddProducts(float32x4_t (&low)[kTokens][kUnroll], float32x4_t (&high)[kTokens][kUnroll],
                        const uint16_t* row, const uint16_t* x, int64_t stride) {
#pragma GCC unroll 4
  for (int j = 0; j < kUnroll; ++j) {
    const float16x8_t w = LoadHalves(row + 8 * j);
#pragma GCC unroll 4
    for (int t = 0; t < kTokens; ++t) {
      const float16x8_t a = LoadHalves(x + t * stride + 8 * j);
      low[t][j] = vfmlalq_low_f16(low[t][j], w, a);
      high[t][j] = vfmlalq_high_f16(high[t][j], w, a);
    }
  }
}

constexpr int kUnroll = 4;

// One column of kTokens tokens, from token `first` on.
template <int kTokens>
inline void MultiplyColumn(const LinearCall& call, const uint16_t* row, int64_t first,
                           int64_t column) {
  const int64_t inner = call.inner;
  const int64_t stride = PaddedHalves(inner);
  const uint16_t* x = HalfRow(call, first);
  float32x4_t low[kTokens][kUnroll], high[kTokens][kUnroll];
#pragma GCC unroll 16
  for (int i = 0; i < kTokens * kUnroll; ++i) {
    low[i / kUnroll][i % kUnroll] = high[i / kUnroll][i % kUnroll] = vdupq_n_f32(0);
  }
  int64_t i = 0;
  for (; i + 8 * kUnroll <= inner; i += 8 * kUnroll) {
    if (first == 0) __builtin_prefetch(row + i + kAheadElements, 0, 1);
    AddProducts<kTokens, kUnroll>(low, high, row + i, x + i, stride);
  }
  if (i < inner) {
    uint16_t last[8 * kUnroll] = {};
    memcpy(last, row + i, static_cast<size_t>(inner - i) * 2);
    AddProducts<kTokens, kUnroll>(low, high, last, x + i, stride);
  }
  for (int t = 0; t < kTokens; ++t) {
    float32x4_t sum = vaddq_f32(low[t][0], high[t][0]);
    for (int j = 1; j < kUnroll; ++j) sum = vaddq_f32(sum, vaddq_f32(low[t][j], high[t][j]));
    call.out[(first + t) * call.out_stride + column] = vaddvq_f32(sum) * RowScales(call)[first + t];
  }
}

void HalfProduct(const LinearCall& call, int64_t begin, int64_t end) {
  const uint16_t* row = reinterpret_cast<const uint16_t*>(call.weight) + begin * call.inner;
  for (int64_t column = begin; column < end; ++column, row += call.inner) {
    int64_t token = 0;
    for (; token + 2 <= call.tokens; token += 2) MultiplyColumn<2>(call, row, token, column);
    if (token < call.tokens) MultiplyColumn<1>(call, row, token, column);
  }
}

ActivationForm HalfForm(int64_t) { return ActivationForm::kF16Rows; }
ActivationForm TileForm(int64_t) { return ActivationForm::kBf16Tiles; }
std::string_view HalfNumerics(int64_t, int64_t) { return "f16"; }

}  // namespace

const LinearKernel kLinearF16 = {.form = HalfForm, .run = HalfProduct, .numerics = HalfNumerics};
const LinearKernel kTilesF16 = {
    .form = TileForm, .scratch_bytes = TileScratchBytes, .run = TileProduct<HalfWeights>};

}  // namespace infer::simd::i8mm
