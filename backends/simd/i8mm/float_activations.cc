// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/i8mm/float_activations.h"

#include <arm_neon.h>
#include <string.h>

#include "backends/simd/i8mm/bf16_tile.h"
#include "backends/simd/i8mm/row_scale.h"

namespace infer::simd::i8mm {
namespace {

// f16 rows: the largest magnitude is scaled to [2^14, 2^15), below 65504. Products of two f16 stay
// far from the limits of f32.
constexpr int kHalfExponent = 14;

uint64_t F16RowsBytes(int64_t tokens, int64_t inner) {
  return static_cast<uint64_t>(ScaleBytes(tokens) + tokens * PaddedHalves(inner) * 2);
}

int64_t F16RowsUnits(int64_t tokens, int64_t /*inner*/) { return tokens; }

void MakeF16Row(const float* x, int64_t inner, float* scale, uint16_t* out) {
  const int move = kHalfExponent - Clamp(LargestExponent(x, inner), -100, 127);
  *scale = PowerOfTwo(-move);
  const float factor = PowerOfTwo(move);
  int64_t i = 0;
  for (; i + 8 <= inner; i += 8) {
    const float32x4_t low = vmulq_n_f32(vld1q_f32(x + i), factor);
    const float32x4_t high = vmulq_n_f32(vld1q_f32(x + i + 4), factor);
    vst1q_u16(out + i, vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(low), high)));
  }
  for (; i < inner; ++i) {
    out[i] = vget_lane_u16(vreinterpret_u16_f16(vcvt_f16_f32(vdupq_n_f32(x[i] * factor))), 0);
  }
  for (; i < PaddedHalves(inner); ++i) out[i] = 0;
}

void MakeF16Rows(const float* x, int64_t tokens, int64_t inner, int64_t begin, int64_t end,
                 std::byte* out) {
  auto* scales = reinterpret_cast<float*>(out);
  auto* rows = reinterpret_cast<uint16_t*>(out + ScaleBytes(tokens));
  for (int64_t t = begin; t < end; ++t) {
    MakeF16Row(x + t * inner, inner, scales + t, rows + t * PaddedHalves(inner));
  }
}

// bf16 tiles: the largest magnitude is scaled to [2^64, 2^65): the other operand may carry a factor
// of 2^-102 (half_to_bf16.h), and the scale that undoes both must be a float.
constexpr int kTileExponent = 64;
constexpr int kMinExponent = -60;  // 2^124 is the largest factor
constexpr int kMaxExponent = 89;   // 2^(89 - 64 + 102) is the largest scale

uint64_t Bf16TilesBytes(int64_t tokens, int64_t inner) {
  const int64_t rows = (tokens + 1) / 2 * 2;
  return static_cast<uint64_t>(ScaleBytes(tokens) + rows * PaddedInner(inner) * 2);
}

int64_t Bf16TilesUnits(int64_t tokens, int64_t /*inner*/) { return Groups(tokens); }

float RowFactor(const float* x, int64_t inner, float* scale) {
  const int exponent = Clamp(LargestExponent(x, inner), kMinExponent, kMaxExponent);
  *scale = PowerOfTwo(exponent - kTileExponent);
  return PowerOfTwo(kTileExponent - exponent);
}

// Converts two rows; `stride` elements between the steps.
void MakeRowPair(const float* x, const float* y, float x_factor, float y_factor, int64_t inner,
                 int64_t stride, uint16_t* out) {
  int64_t i = 0;
  for (; i + kStep <= inner; i += kStep, out += stride) {
    vst1q_u16(out, RoundToBf16(vmulq_n_f32(vld1q_f32(x + i), x_factor),
                               vmulq_n_f32(vld1q_f32(y + i), y_factor)));
  }
  for (; i < PaddedInner(inner); i += kStep, out += stride) {
    float last[2][kStep] = {};
    for (int64_t j = i; j < inner; ++j) {
      last[0][j - i] = x[j];
      last[1][j - i] = y[j];
    }
    vst1q_u16(out, RoundToBf16(vmulq_n_f32(vld1q_f32(last[0]), x_factor),
                               vmulq_n_f32(vld1q_f32(last[1]), y_factor)));
  }
}

void MakeBf16Tiles(const float* x, int64_t tokens, int64_t inner, int64_t begin, int64_t end,
                   std::byte* out) {
  auto* scales = reinterpret_cast<float*>(out);
  auto* tiles = reinterpret_cast<uint16_t*>(out + ScaleBytes(tokens));
  const int64_t group_tokens = kGroupTokens;
  for (int64_t g = begin; g < end; ++g) {
    const int64_t pairs = PairsInGroup(tokens, g);
    uint16_t* group = tiles + g * group_tokens * PaddedInner(inner);
    for (int64_t p = 0; p < pairs; ++p) {
      const int64_t token = g * group_tokens + 2 * p;
      const int64_t other = token + 1 < tokens ? token + 1 : token;  // an odd last row is doubled
      const float factor = RowFactor(x + token * inner, inner, scales + token);
      const float other_factor = RowFactor(x + other * inner, inner, scales + other);
      MakeRowPair(x + token * inner, x + other * inner, factor, other_factor, inner, pairs * 8,
                  group + p * 8);
    }
  }
}

}  // namespace

const ActivationMaker kF16RowsMaker = {F16RowsBytes, F16RowsUnits, MakeF16Rows};
const ActivationMaker kBf16TilesMaker = {Bf16TilesBytes, Bf16TilesUnits, MakeBf16Tiles};

}  // namespace infer::simd::i8mm
