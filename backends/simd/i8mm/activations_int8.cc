// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/i8mm/activations_int8.h"

#include <arm_neon.h>
#include <float.h>
#include <math.h>

namespace infer::simd::i8mm {
namespace {

// The destination of one row of a tile.
struct RowOut {
  int8_t* quants;
  float* ratios;
  float* last_scale;
  uint16_t* bf16_sums;
  int8_t* split_sums;
  uint16_t* exact_sums;
  int64_t pairs;
};

// FMAX propagates NaN, so a NaN or an infinity anywhere shows in the result.
float LargestMagnitude(const float* x, int64_t n) {
  float32x4_t max[4] = {};
  for (int64_t i = 0; i < n; i += 16) {
    for (int j = 0; j < 4; ++j) max[j] = vmaxq_f32(max[j], vabsq_f32(vld1q_f32(x + i + 4 * j)));
  }
  return vmaxvq_f32(vmaxq_f32(vmaxq_f32(max[0], max[1]), vmaxq_f32(max[2], max[3])));
}

// Adding 1.5 * 2^23 rounds to an integer whose low byte is the int8: full-rate operations, where
// fcvtns issues once per cycle.
inline int8x16_t Quantize16(const float* x, float32x4_t inverse) {
  const float32x4_t magic = vdupq_n_f32(0x1.8p23f);
  int8x16_t v[4];
  for (int i = 0; i < 4; ++i) {
    v[i] = vreinterpretq_s8_f32(vfmaq_f32(magic, vld1q_f32(x + 4 * i), inverse));
  }
  return vuzp1q_s8(vuzp1q_s8(v[0], v[1]), vuzp1q_s8(v[2], v[3]));
}

// Quantises one group of a row; returns the sums of its blocks.
int32x4_t QuantizeGroup(const float* x, int64_t n, float scale, int64_t pairs, int8_t* quants) {
  const float32x4_t inverse = vdupq_n_f32(1.0f / scale);
  const int8x16_t ones = vdupq_n_s8(1);
  int32x4_t sums[kGroupBlocks] = {};
  for (int64_t i = 0; i < n; i += 16, quants += 32 * pairs) {
    const int8x16_t q = Quantize16(x + i, inverse);
    vst1_s8(quants, vget_low_s8(q));
    vst1_s8(quants + 16 * pairs, vget_high_s8(q));
    sums[i / kBlock] = vdotq_s32(sums[i / kBlock], q, ones);
  }
  return vpaddq_s32(vpaddq_s32(sums[0], sums[1]), vpaddq_s32(sums[2], sums[3]));
}

// Integers of at most 8 digits, as the upper halves of floats.
uint16x4_t ExactBf16(int32x4_t v) {
  return vshrn_n_u32(vreinterpretq_u32_f32(vcvtq_f32_s32(v)), 16);
}

// `place`: the group, counted with the pairs of a tile.
void StoreSums(int32x4_t sums, float scale, int64_t place, const RowOut& out) {
  const float32x4_t scaled = vmulq_n_f32(vcvtq_f32_s32(sums), scale);
  vst1_u16(out.bf16_sums + place * 8, vreinterpret_u16_bf16(vcvt_bf16_f32(scaled)));
  const int32x4_t low = vandq_s32(sums, vdupq_n_s32(63));
  const int16x4_t high = vmovn_s32(vshrq_n_s32(sums, 6));
  vst1_s8(out.split_sums + place * 16, vmovn_s16(vcombine_s16(high, vmovn_s32(low))));
  vst1_u16(out.exact_sums + place * 16, ExactBf16(vsubq_s32(sums, low)));
  vst1_u16(out.exact_sums + place * 16 + 8, ExactBf16(low));
}

// Returns the scale of a group with this largest magnitude. A group far below the row's largest so
// far adds nothing that a float sum could represent: `floor` keeps the ratio of two scales, and so
// the sum, finite. A group with a NaN or an infinity gets NaN, which the chain of ratios carries
// into every result of the row.
float GroupScale(float largest, float previous, float* floor) {
  if (!(largest <= FLT_MAX)) return NAN;
  if (largest * 0x1p-24f > *floor) *floor = largest * 0x1p-24f;
  const float scale = (largest > *floor ? largest : *floor) / 127.0f;
  if (scale > 0x1p-100f) return scale;
  // A group of zeros or nearly so. In a row that begins with one, the rounding of the tile must
  // stay negligible.
  return previous == 0 ? 0x1p-100f : previous;
}

// Quantises groups [begin, end) of a row. Also finds the scales of all groups before them: that is
// a tenth of the work, and threads that share a row need not wait for each other.
void QuantizeRow(const float* x, int64_t inner, int64_t begin, int64_t end, const RowOut& out) {
  float previous = 0;
  float floor = 0;
  for (int64_t group = 0; group < end; ++group) {
    const float* part = x + group * kGroup;
    const int64_t n = Smaller(kGroup, inner - group * kGroup);
    const float scale = GroupScale(LargestMagnitude(part, n), previous, &floor);
    if (group < begin) {
      previous = scale;
      continue;
    }
    const int64_t place = group * out.pairs;
    vst1_f32(out.ratios + place * kPairFloats, vdup_n_f32(previous / scale));
    const int32x4_t sums =
        QuantizeGroup(part, n, scale, out.pairs, out.quants + place * kGroup * 2);
    StoreSums(sums, scale, place, out);
    previous = scale;
  }
  if (end == Groups(inner)) vst1_f32(out.last_scale, vdup_n_f32(previous));
}

// Fills the partner of an odd last row.
void ZeroRow(int64_t inner, int64_t begin, int64_t end, const RowOut& out) {
  const int64_t steps = Smaller(end * kGroup, inner) / 8;
  for (int64_t i = begin * kGroup / 8; i < steps; ++i) {
    vst1_s8(out.quants + i * out.pairs * 16, vdup_n_s8(0));
  }
  for (int64_t place = begin * out.pairs; place < end * out.pairs; place += out.pairs) {
    vst1_f32(out.ratios + place * kPairFloats, vdup_n_f32(0));
    vst1_u16(out.bf16_sums + place * 8, vdup_n_u16(0));
    vst1_s8(out.split_sums + place * 16, vdup_n_s8(0));
    vst1_u16(out.exact_sums + place * 16, vdup_n_u16(0));
    vst1_u16(out.exact_sums + place * 16 + 8, vdup_n_u16(0));
  }
  if (end == Groups(inner)) vst1_f32(out.last_scale, vdup_n_f32(0));
}

template <int64_t kRows>
uint64_t Bytes(int64_t tokens, int64_t inner) {
  return static_cast<uint64_t>(Tiles(tokens, kRows) * TileSizes(kRows, inner).bytes);
}

// A few rows are divided among threads by groups: decoding waits for this and nothing else. 4
// groups take about 0.3 us.
constexpr int64_t kUnitGroups = 4;
constexpr int64_t kFewTokens = 16;

int64_t UnitsOfTile(int64_t tokens, int64_t inner) {
  return tokens <= kFewTokens ? CeilDiv(Groups(inner), kUnitGroups) : 1;
}

template <int64_t kRows>
int64_t Units(int64_t tokens, int64_t inner) {
  return Tiles(tokens, kRows) * UnitsOfTile(tokens, inner);
}

// Prepares groups [begin, end) of a tile.
void PrepareTile(const float* x, const Int8Tile& tile, int64_t inner, int64_t begin, int64_t end) {
  for (int64_t row = 0; row < 2 * tile.pairs; ++row) {
    const int64_t pair = row / 2;
    const int64_t half = row % 2;
    const RowOut row_out = {
        const_cast<int8_t*>(tile.quants) + pair * 16 + half * 8,
        const_cast<float*>(tile.ratios) + pair * kPairFloats + half * 2,
        const_cast<float*>(tile.last_scales) + pair * kPairFloats + half * 2,
        const_cast<uint16_t*>(tile.bf16_sums) + pair * 8 + half * 4,
        const_cast<int8_t*>(tile.split_sums) + pair * 16 + half * 8,
        const_cast<uint16_t*>(tile.exact_sums) + pair * 16 + half * 4,
        tile.pairs,
    };
    if (row < tile.rows) {
      QuantizeRow(x + row * inner, inner, begin, end, row_out);
    } else {
      ZeroRow(inner, begin, end, row_out);
    }
  }
}

// Adjacent units of a tile are prepared at once, so that scales are found once.
template <int64_t kRows>
void Prepare(const float* x, int64_t tokens, int64_t inner, int64_t begin, int64_t end,
             std::byte* out) {
  const int64_t units = UnitsOfTile(tokens, inner);
  const int64_t unit_groups = units == 1 ? Groups(inner) : kUnitGroups;
  for (int64_t unit = begin; unit < end;) {
    const int64_t t = unit / units;
    const int64_t next = Smaller(end, (t + 1) * units);
    PrepareTile(x + t * kRows * inner, TileOf(out, tokens, inner, t, kRows), inner,
                (unit - t * units) * unit_groups,
                Smaller((next - t * units) * unit_groups, Groups(inner)));
    unit = next;
  }
}

}  // namespace

constinit const ActivationMaker kInt8StreamsMaker = {
    .bytes = Bytes<kStreamRows>, .units = Units<kStreamRows>, .prepare = Prepare<kStreamRows>};
constinit const ActivationMaker kInt8TilesMaker = {
    .bytes = Bytes<kTileRows>, .units = Units<kTileRows>, .prepare = Prepare<kTileRows>};

}  // namespace infer::simd::i8mm
