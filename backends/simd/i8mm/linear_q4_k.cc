// SPDX-License-Identifier: Apache-2.0
//
// Q4_K weights. Packed: panels of 8 rows. A block of 256 elements has 1184 bytes, 3 % more than in
// the file, because the 6-bit scales and minima become bytes:
//   f16 [8 columns] scales, f16 [8] scales of the minima,
//   u8 [8 parts of 32][8 columns] part scales, u8 [2 halves][8 columns][4 parts] minima,
//   [8 parts][2][8 columns][8 bytes] quants, paired as in linear_q4_0.cc but from 0 to 15.
#include <string.h>

#include "backends/formats/k_blocks.h"
#include "backends/simd/i8mm/int8_kernels.h"
#include "backends/simd/i8mm/multiply_panels.h"
#include "backends/simd/i8mm/stream_panels.h"
#include "backends/simd/i8mm/stream_superblocks.h"

namespace infer::simd::i8mm {
namespace {

using formats::BlockQ4_K;

struct PackedBlock {
  uint16_t scales[kPanelColumns];
  uint16_t min_scales[kPanelColumns];
  uint8_t part_scales[8][kPanelColumns];
  int8_t mins[kSuperGroups][kPanelColumns][kGroupBlocks];
  uint8_t quants[8][2][kPanelColumns][8];
};
static_assert(sizeof(PackedBlock) == 1184);

const PackedBlock& At(const std::byte* block) {
  return *reinterpret_cast<const PackedBlock*>(block);
}

struct Q4_K {
  static constexpr int kElements = 32;
  static constexpr bool kHasOffsets = true;
  static constexpr bool kStoresQuants = false;
  static constexpr int64_t kBytes = sizeof(PackedBlock);
  static constexpr int kPart = 32;
  static constexpr bool kHasMins = true;

  static int64_t PanelBytes(int64_t inner) { return inner / kSuperBlock * kBytes; }

  static int8x16_t Operand(const std::byte* block, int part, int step, int pair) {
    const uint8x16_t packed = vld1q_u8(At(block).quants[part][step % 2][2 * pair]);
    if (step < 2) return vreinterpretq_s8_u8(vandq_u8(packed, vdupq_n_u8(15)));
    return vreinterpretq_s8_u8(vshrq_n_u8(packed, 4));
  }
  static int16x8_t PartScales(const std::byte* block, int part) {
    return vreinterpretq_s16_u16(vmovl_u8(vld1_u8(At(block).part_scales[part])));
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

  static void OneRow(const std::byte* panel, const Int8Tile& tile, int64_t inner,
                     const TileOut& to) {
    StreamOneSuperRow<Q4_K>(panel, tile, inner, to);
  }
  template <int kPairs>
  static void Rows(const std::byte* panel, const Int8Tile& tile, int64_t inner, const TileOut& to) {
    StreamSuperRows<Q4_K, kPairs>(panel, tile, inner, to);
  }

  static void Load(const LinearCall& call, int64_t column, PanelToFill& panel);
};

// scale * q - min = scale * (q - 8) + (8 * scale - min). Centring makes the offset small (a part's
// least value is about minus its largest), so that bf16 is enough for it: 9e-4 of the result.
void LoadQuants(const uint8_t* packed, int8_t* out) {
  for (int i = 0; i < 8; ++i) {
    const uint8x16_t v = veorq_u8(vld1q_u8(packed + 16 * i), vdupq_n_u8(0x88));
    vst1q_s8(out + 16 * i, vreinterpretq_s8_u8(vshlq_n_u8(v, 4)));
    vst1q_s8(out + 128 + 16 * i, vreinterpretq_s8_u8(vandq_u8(v, vdupq_n_u8(0xF0))));
  }
}

inline void WidenBytes(uint8x8_t bytes, float32x4_t (&out)[2]) {
  const uint16x8_t wide = vmovl_u8(bytes);
  out[0] = vcvtq_f32_u32(vmovl_u16(vget_low_u16(wide)));
  out[1] = vcvtq_f32_u32(vmovl_high_u16(wide));
}

// Scales and offsets of the four parts of a group. The quants are 16 times too large.
void LoadScales(const PackedBlock& block, int half, float* scales, uint16_t* offsets) {
  float32x4_t d[2];
  float32x4_t dmin[2];
  Q4_K::Scales(reinterpret_cast<const std::byte*>(&block), d);
  Q4_K::MinScales(reinterpret_cast<const std::byte*>(&block), dmin);
  const uint8x8x4_t mins = vld4_u8(reinterpret_cast<const uint8_t*>(block.mins[half]));
  uint16x8x4_t offset;
#pragma GCC unroll 4
  for (int part = 0; part < kGroupBlocks; ++part) {
    float32x4_t s[2];
    float32x4_t m[2];
    WidenBytes(vld1_u8(block.part_scales[half * kGroupBlocks + part]), s);
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
    for (int part = 0; part < kGroupBlocks; ++part) {
      LoadQuants(&block.quants[half * kGroupBlocks + part][0][0][0],
                 panel.quants + (group * kGroupBlocks + part) * kBlock * kPanelColumns);
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
    out.part_scales[part][column] = scales[part];
    out.mins[part / kGroupBlocks][column][part % kGroupBlocks] = static_cast<int8_t>(mins[part]);
    const int8_t* q = quants + part * kBlock;
    for (int i = 0; i < 16; ++i) {
      out.quants[part][i / 8][column][i % 8] = static_cast<uint8_t>(q[i] | q[i + 16] << 4);
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

ActivationForm Form(int64_t /*tokens*/) { return ActivationForm::kInt8Tiles; }

void Run(const LinearCall& call, int64_t begin, int64_t end) {
  if (call.tokens <= kStreamTokens) {
    StreamPanels<Q4_K>(call, begin, end);
  } else {
    MultiplyPanels<Q4_K>(call, begin, end);
  }
}

}  // namespace

constinit const LinearKernel kLinearQ4_K = {"q4_k_8x8", kPanelColumns,           PackedBytes, Pack,
                                            Form,       PanelScratchBytes<Q4_K>, Run};

}  // namespace infer::simd::i8mm
