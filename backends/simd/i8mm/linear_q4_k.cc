// SPDX-License-Identifier: Apache-2.0
//
// Q4_K weights. Packed: panels of 8 rows. A block of 256 elements has 1184 bytes, 3 % more than in
// the file, because the 6-bit scales and minima become bytes:
//   f16 [8 columns] scales, f16 [8] scales of the minima,
//   u8 [4 pairs of parts][8 columns][2 parts of 32] part scales,
//   u8 [2 halves][8 columns][4 parts] minima,
//   [4 pairs][4 steps][8 columns][8 bytes] quants from 0 to 15, paired as in stream_nibbles.h.
#include <string.h>

#include "backends/formats/k_blocks.h"
#include "backends/simd/i8mm/int8_kernels.h"
#include "backends/simd/i8mm/multiply_panels.h"
#include "backends/simd/i8mm/stream_nibbles.h"
#include "backends/simd/i8mm/super_panels.h"

namespace infer::simd::i8mm {
namespace {

using formats::BlockQ4_K;

struct PackedBlock {
  uint16_t scales[kPanelColumns];
  uint16_t min_scales[kPanelColumns];
  uint8_t part_scales[4][kPanelColumns][2];
  int8_t mins[kSuperGroups][kPanelColumns][kGroupBlocks];
  uint8_t quants[4][kNibbleSteps][kPanelColumns][8];
};
static_assert(sizeof(PackedBlock) == 1184);

const PackedBlock& At(const std::byte* block) {
  return *reinterpret_cast<const PackedBlock*>(block);
}

struct Q4_K {
  static constexpr int kElements = 32;
  static constexpr bool kHasOffsets = true;
  static constexpr int64_t kBytes = sizeof(PackedBlock);
  static constexpr int kPart = 32;
  static constexpr bool kHasMins = true;

  static int64_t PanelBytes(int64_t inner) { return inner / kSuperBlock * kBytes; }

  static int8x16_t Operand(const std::byte* block, int part, int step, int pair) {
    const uint8x16_t packed = vld1q_u8(At(block).quants[part / 2][step][2 * pair]);
    if (part % 2 == 0) return vreinterpretq_s8_u8(vshrq_n_u8(packed, 4));
    return vreinterpretq_s8_u8(vandq_u8(packed, vdupq_n_u8(15)));
  }
  static int16x8_t PartScales(const std::byte* block, int part) {
    const uint8x8x2_t of_columns = vld2_u8(At(block).part_scales[part / 2][0]);
    return vreinterpretq_s16_u16(vmovl_u8(of_columns.val[part % 2]));
  }
  static void Scales(const std::byte* block, float32x4_t (&out)[2]) {
    WidenScales(reinterpret_cast<const std::byte*>(At(block).scales), out);
  }
  static void MinScales(const std::byte* block, float32x4_t (&out)[2]) {
    WidenScales(reinterpret_cast<const std::byte*>(At(block).min_scales), out);
  }
  static const int8_t* Mins(const std::byte* block, int half) {
    return &At(block).mins[half][0][0];
  }

  static NibbleRow MakeRow(const Int8Tile& tile, int64_t inner, std::byte* scratch) {
    static_assert(kPairOperandBytes <= kPairElements * kPanelColumns, "the scratch holds a panel");
    return MakeNibbleRow(tile, inner, scratch);
  }

  static void OneRow(const std::byte* panel, const NibbleRow& row, int64_t inner,
                     const TileOut& to);
  template <int kPairs>
  static void Rows(const std::byte* panel, const Int8Tile& tile, int64_t inner, const TileOut& to) {
    StreamSuperRows<Q4_K, kPairs>(panel, tile, inner, to);
  }

  static void Load(const LinearCall& call, int64_t column, PanelToFill& panel);
};

// Widens bytes 4 * j to 4 * j + 3 to 32-bit numbers: an index past the table gives zero.
alignas(16) constexpr int8_t kWidenQuarters[kColumnPairs][16] = {
    {0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, 3, -1, -1, -1},
    {4, -1, -1, -1, 5, -1, -1, -1, 6, -1, -1, -1, 7, -1, -1, -1},
    {8, -1, -1, -1, 9, -1, -1, -1, 10, -1, -1, -1, 11, -1, -1, -1},
    {12, -1, -1, -1, 13, -1, -1, -1, 14, -1, -1, -1, 15, -1, -1, -1},
};

struct OneRowConstants {
  int8x16_t low_halves;
  int8x16_t widen[kColumnPairs];
};

inline void OneRowPair(const PackedBlock& block, int pair, const int8_t* operands,
                       const OneRowConstants& constants, int32x4_t (&dot)[kColumnPairs]) {
  int32x4_t x[kColumnPairs] = {};
  MultiplyNibbles(
      reinterpret_cast<const std::byte*>(block.quants[pair]), operands, constants.low_halves,
      [](int32x4_t sums, int8x16_t w, int8x16_t a) {
        return vusmmlaq_s32(sums, vreinterpretq_u8_s8(w), a);
      },
      x);
  const uint8x16_t scales = vld1q_u8(block.part_scales[pair][0]);
  for (int j = 0; j < kColumnPairs; ++j) {
    const uint8x16_t wide = vqtbl1q_u8(scales, vreinterpretq_u8_s8(constants.widen[j]));
    dot[j] = vmlaq_s32(dot[j], x[j], vreinterpretq_s32_u8(wide));
  }
}

inline void OneRowHalf(const std::byte* at, int half, const int8_t* operands,
                       const OneRowConstants& constants, float32x4_t (&sum)[2]) {
  int32x4_t dot[kColumnPairs] = {};
  for (int p = 0; p < 2; ++p) {
    OneRowPair(At(at), 2 * half + p, operands + p * kPairOperandBytes, constants, dot);
  }
  float32x4_t scales[2];
  Q4_K::Scales(at, scales);
  for (int i = 0; i < 2; ++i) {
    const int32x4_t even = vuzp1q_s32(dot[2 * i], dot[2 * i + 1]);
    const int32x4_t odd = vuzp2q_s32(dot[2 * i], dot[2 * i + 1]);
    sum[i] = vfmaq_f32(sum[i], vcvtq_f32_s32(vsraq_n_s32(odd, even, 4)), scales[i]);
  }
}

void Q4_K::OneRow(const std::byte* panel, const NibbleRow& row, int64_t inner, const TileOut& to) {
  OneRowConstants constants = {LoadedBytes(kLowHalves), {}};
  for (int j = 0; j < kColumnPairs; ++j) constants.widen[j] = LoadedBytes(kWidenQuarters[j]);
  const int8_t* operands = row.operands;
  const float* ratio = row.tile->ratios;
  const int8_t* split_sums = row.tile->split_sums;
  float32x4_t sum[2] = {};
  for (int64_t b = 0; b < inner / kSuperBlock; ++b, panel += kBytes) {
#pragma GCC unroll 2
    for (int half = 0; half < kSuperGroups; ++half) {
      FetchAhead<kBytes / kSuperGroups>(panel + half * (kBytes / kSuperGroups));
      for (int i = 0; i < 2; ++i) sum[i] = vmulq_n_f32(sum[i], ratio[0]);
      OneRowHalf(panel, half, operands, constants, sum);
      OneRowMins<Q4_K>(panel, half, split_sums, sum);
      operands += 2 * kPairOperandBytes;
      ratio += kPairFloats;
      split_sums += 16;
    }
  }
  const float scale = row.tile->last_scales[0];
  StoreRow(vmulq_n_f32(sum[0], scale), vmulq_n_f32(sum[1], scale), to, 0);
}

// Unpacks both parts of a pair; the quants become 16 times too large.
// scale * q - min = scale * (q - 8) + (8 * scale - min). Centring makes the offset small (a part's
// smallest value is about minus its largest), so that bf16 is accurate enough for it: 9e-4 of the
// result.
void LoadQuants(const uint8_t* packed, int8_t* out) {
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    const uint8x16_t v = veorq_u8(vld1q_u8(packed + 16 * i), vdupq_n_u8(0x88));
    vst1q_s8(out + 16 * i, vreinterpretq_s8_u8(vandq_u8(v, vdupq_n_u8(0xF0))));
    vst1q_s8(out + kBlock * kPanelColumns + 16 * i, vreinterpretq_s8_u8(vshlq_n_u8(v, 4)));
  }
}

inline void WidenBytes(uint8x8_t bytes, float32x4_t (&out)[2]) {
  const uint16x8_t wide = vmovl_u8(bytes);
  out[0] = vcvtq_f32_u32(vmovl_u16(vget_low_u16(wide)));
  out[1] = vcvtq_f32_u32(vmovl_high_u16(wide));
}

// Loads the scales and offsets of the four parts of a group. The quants are 16 times too large.
void LoadScales(const PackedBlock& block, int half, float* scales, uint16_t* offsets) {
  float32x4_t d[2];
  float32x4_t dmin[2];
  Q4_K::Scales(reinterpret_cast<const std::byte*>(&block), d);
  Q4_K::MinScales(reinterpret_cast<const std::byte*>(&block), dmin);
  const uint8x8x4_t mins = vld4_u8(reinterpret_cast<const uint8_t*>(block.mins[half]));
  const uint8x8x2_t part_scales[2] = {vld2_u8(block.part_scales[2 * half][0]),
                                      vld2_u8(block.part_scales[2 * half + 1][0])};
  uint16x8x4_t offset;
#pragma GCC unroll 4
  for (int part = 0; part < kGroupBlocks; ++part) {
    float32x4_t s[2];
    float32x4_t m[2];
    WidenBytes(part_scales[part / 2].val[part % 2], s);
    WidenBytes(mins.val[part], m);
    for (int i = 0; i < 2; ++i) {
      s[i] = vmulq_f32(s[i], vmulq_n_f32(d[i], 1.0f / 16));
      m[i] = vfmsq_f32(vmulq_n_f32(s[i], 128), m[i], dmin[i]);
      vst1q_f32(scales + part * kPanelColumns + 4 * i, s[i]);
    }
    offset.val[part] = vcombine_u16(vreinterpret_u16_bf16(vcvt_bf16_f32(m[0])),
                                    vreinterpret_u16_bf16(vcvt_bf16_f32(m[1])));
  }
  vst4q_u16(offsets, offset);
}

void Q4_K::Load(const LinearCall& call, int64_t column, PanelToFill& panel) {
  const std::byte* at = call.weight + column / kPanelColumns * PanelBytes(call.inner);
  for (int64_t group = 0; group < Groups(call.inner); ++group) {
    const PackedBlock& block = At(at + group / kSuperGroups * kBytes);
    const int half = static_cast<int>(group % kSuperGroups);
    for (int pair = 0; pair < 2; ++pair) {
      LoadQuants(block.quants[2 * half + pair][0][0],
                 panel.quants + (group * kGroupBlocks + 2 * pair) * kBlock * kPanelColumns);
    }
    LoadScales(block, half, panel.scales + group * kGroupBlocks * kPanelColumns,
               panel.offsets + group * kGroupBlocks * kPanelColumns);
  }
}

uint64_t PackedBytes(int64_t outputs, int64_t inner) {
  return static_cast<uint64_t>(CeilDiv(outputs, kPanelColumns) * Q4_K::PanelBytes(inner));
}

void PackColumn(const BlockQ4_K& block, int64_t column, PackedBlock& out) {
  memcpy(&out.scales[column], &block.scale, 2);
  memcpy(&out.min_scales[column], &block.min, 2);
  uint8_t scales[8];
  uint8_t mins[8];
  formats::UnpackScalesAndMins(block.scales_and_mins, scales, mins);
  int8_t quants[BlockQ4_K::kElements];
  formats::UnpackQuants(block, quants);
  for (int part = 0; part < 8; ++part) {
    out.part_scales[part / 2][column][part % 2] = scales[part];
    out.mins[part / kGroupBlocks][column][part % kGroupBlocks] = static_cast<int8_t>(mins[part]);
  }
  for (int pair = 0; pair < 4; ++pair) {
    const int8_t* even = quants + 2 * pair * kBlock;
    const int8_t* odd = even + kBlock;
    for (int i = 0; i < kBlock; ++i) {
      out.quants[pair][i / 8][column][i % 8] = static_cast<uint8_t>(even[i] << 4 | odd[i]);
    }
  }
}

void Pack(const std::byte* rows, int64_t outputs, int64_t inner, int64_t begin_panel,
          int64_t end_panel, std::byte* packed) {
  const int64_t blocks = inner / kSuperBlock;
  const BlockQ4_K* first = reinterpret_cast<const BlockQ4_K*>(rows);
  for (int64_t p = begin_panel; p < end_panel; ++p) {
    PackedBlock* panel = reinterpret_cast<PackedBlock*>(packed + p * Q4_K::PanelBytes(inner));
    for (int64_t b = 0; b < blocks; ++b) {
      for (int64_t column = 0; column < kPanelColumns; ++column) {
        const int64_t row = p * kPanelColumns + column;
        // Columns past the last have zero scales.
        PackColumn(row < outputs ? first[row * blocks + b] : BlockQ4_K{}, column, panel[b]);
      }
    }
  }
}

constexpr LinearKernel Kernel() {
  LinearKernel kernel;
  kernel.layout = "q4_k_8x8_pairs";
  kernel.panel_outputs = kPanelColumns;
  kernel.packed_bytes = PackedBytes;
  kernel.pack = Pack;
  kernel.form = SuperForm;
  kernel.scratch_bytes = SuperScratchBytes<Q4_K>;
  kernel.run = MultiplySuperBlocks<Q4_K>;
  kernel.numerics = SuperNumerics;
  return kernel;
}

constexpr LinearKernel TileKernel() {
  LinearKernel kernel = Kernel();
  kernel.form = [](int64_t) { return ActivationForm::kInt8Tiles; };
  kernel.scratch_bytes = PanelScratchBytes<Q4_K>;
  kernel.run = MultiplyPanels<Q4_K>;
  kernel.numerics = nullptr;
  return kernel;
}

}  // namespace

constinit const LinearKernel kLinearQ4_K = Kernel();
constinit const LinearKernel kTilesQ4_K = TileKernel();

}  // namespace infer::simd::i8mm
