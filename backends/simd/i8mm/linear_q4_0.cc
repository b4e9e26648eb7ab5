// SPDX-License-Identifier: Apache-2.0
//
// Q4_0 weights. Packed: panels of 8 rows, see stream_blocks.h, with the same number of bytes as in
// the file if the number of blocks is even. Blocks come in pairs, see stream_nibbles.h: scales f16
// [8 columns][2 blocks], quants [4 steps][8 columns][8 bytes]. The high half of a byte is two's
// complement (the file's number with its top bit flipped), the low one is 8 too large, as in the
// file: the whole byte is then 16 * even + odd + 8.
#include <string.h>

#include "backends/formats/simple_blocks.h"
#include "backends/simd/i8mm/int8_kernels.h"
#include "backends/simd/i8mm/multiply_panels.h"
#include "backends/simd/i8mm/stream_blocks.h"
#include "backends/simd/i8mm/stream_nibbles.h"
#include "backends/simd/i8mm/stream_panels.h"

namespace infer::simd::i8mm {
namespace {

using formats::BlockQ4_0;

constexpr int64_t kQuantBytes = kBlock * kPanelColumns / 2;
constexpr int64_t kPackedBlockBytes = kScaleBytes + kQuantBytes;
constexpr int64_t kPairQuantBytes = 2 * kQuantBytes;
constexpr int64_t kPairScales = 2 * kPanelColumns;

struct Q4_0 {
  static constexpr int kElements = 32;
  static constexpr bool kHasOffsets = false;
  static constexpr bool kStoresQuants = false;
  static constexpr int64_t kBlockBytes = kQuantBytes;
  static constexpr float kFactor = 16;

  static constexpr int64_t StoredBlocks(int64_t blocks) { return blocks + blocks % 2; }

  template <int kOdd>
  static int8x16_t Operand(const std::byte* quants, int64_t pair, int step, int j) {
    const int8_t* at = reinterpret_cast<const int8_t*>(quants) + pair * kPairQuantBytes;
    const int8x16_t packed = vld1q_s8(at + step * 64 + j * 16);
    if constexpr (kOdd == 0) return vandq_s8(packed, vdupq_n_s8(static_cast<int8_t>(0xF0)));
    return veorq_s8(vshlq_n_s8(packed, 4), vdupq_n_s8(static_cast<int8_t>(0x80)));
  }

  template <int kOdd>
  static void Scales(const std::byte* scales, int64_t pair, float32x4_t (&out)[2]) {
    const uint16_t* at = reinterpret_cast<const uint16_t*>(scales) + pair * kPairScales;
    const float16x8_t v = vreinterpretq_f16_u16(vld2q_u16(at).val[kOdd]);
    out[0] = vcvt_f32_f16(vget_low_f16(v));
    out[1] = vcvt_high_f32_f16(v);
  }

  static int64_t PanelBytes(int64_t inner) {
    return StoredBlocks(inner / kBlock) * kPackedBlockBytes;
  }

  static NibbleRow MakeRow(const Int8Tile& tile, int64_t inner, std::byte* scratch) {
    static_assert(kNibbleRowBytes <= kPairElements * kPanelColumns, "the scratch holds a panel");
    return MakeNibbleRow(tile, inner, 8, scratch);
  }

  static void OneRow(const std::byte* panel, const NibbleRow& row, int64_t inner,
                     const TileOut& to);

  template <int kPairs>
  static void Rows(const std::byte* panel, const Int8Tile& tile, int64_t inner, const TileOut& to) {
    StreamRows<Q4_0, kPairs>(panel, tile, inner, to);
  }

  static void Load(const LinearCall& call, int64_t column, PanelToFill& panel) {
    const int64_t blocks = call.inner / kBlock;
    const std::byte* at = call.weight + column / kPanelColumns * PanelBytes(call.inner);
    for (int64_t b = 0; b < blocks; at += kGroupBlocks * kPackedBlockBytes) {
      const int64_t count = Smaller(kGroupBlocks, blocks - b);
      const std::byte* quants = at + StoredBlocks(count) * kScaleBytes;
      for (int64_t pair = 0; 2 * pair < count; ++pair) {
        LoadBlock<0>(at, quants, pair, b++, panel);
        if (2 * pair + 1 < count) LoadBlock<1>(at, quants, pair, b++, panel);
      }
    }
  }

  template <int kOdd>
  static void LoadBlock(const std::byte* scale_at, const std::byte* quants, int64_t pair, int64_t b,
                        PanelToFill& panel) {
    int8_t* out = panel.quants + b * kBlock * kPanelColumns;
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      vst1q_s8(out + 16 * i, Operand<kOdd>(quants, pair, i / 4, i % 4));
    }
    float32x4_t wide[2];
    Scales<kOdd>(scale_at, pair, wide);
    float* scales = panel.scales + b * kPanelColumns;
    vst1q_f32(scales, vmulq_n_f32(wide[0], 1 / kFactor));
    vst1q_f32(scales + 4, vmulq_n_f32(wide[1], 1 / kFactor));
  }
};

inline void OneRowPair(const std::byte* quants, const std::byte* scale_at, const NibbleRow& row,
                       int64_t pair, int8x16_t low_halves, float32x4_t magic,
                       float32x4_t (&sum)[kColumnPairs]) {
  FetchAhead<kPairQuantBytes>(quants);
  int32x4_t x[kColumnPairs];
  LoadStarts(row.starts + 4 * pair, x);
  MultiplyNibbles(
      quants, row.operands + pair * kPairOperandBytes, low_halves,
      [](int32x4_t sums, int8x16_t w, int8x16_t a) { return vmmlaq_s32(sums, w, a); }, x);
  const float16_t* scales = reinterpret_cast<const float16_t*>(scale_at);
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
    const float16x8_t s = vld1q_f16(scales + 8 * half);
    const float32x4_t wide[2] = {vcvt_f32_f16(vget_low_f16(s)), vcvt_high_f32_f16(s)};
    for (int i = 0; i < 2; ++i) {
      const int j = 2 * half + i;
      sum[j] = vfmaq_f32(sum[j], vsubq_f32(vreinterpretq_f32_s32(x[j]), magic), wide[i]);
    }
  }
}

void Q4_0::OneRow(const std::byte* panel, const NibbleRow& row, int64_t inner, const TileOut& to) {
  const int8x16_t low_halves = LoadedBytes(kLowHalves);
  const float32x4_t magic = vdupq_n_f32(kMagic);
  const float* ratio = row.tile->ratios;
  float32x4_t sum[kColumnPairs] = {};
  const int64_t pairs = BlockPairs(inner);
  for (int64_t p = 0; p < pairs; ratio += kPairFloats) {
    FetchAhead<kGroupBlocks * kScaleBytes>(panel);
    for (int j = 0; j < kColumnPairs; ++j) sum[j] = vmulq_n_f32(sum[j], ratio[0]);
    const int64_t count = Smaller(kGroupBlocks / 2, pairs - p);
    const std::byte* quants = panel + count * kPairScales * 2;
    if (count == 2) {
      OneRowPair(quants, panel, row, p, low_halves, magic, sum);
      OneRowPair(quants + kPairQuantBytes, panel + kPairScales * 2, row, p + 1, low_halves, magic,
                 sum);
    } else {
      OneRowPair(quants, panel, row, p, low_halves, magic, sum);
    }
    p += count;
    panel = quants + count * kPairQuantBytes;
  }
  const float scale = row.tile->last_scales[0];
  const float32x4_t scales = {scale / 16, scale, scale / 16, scale};
  for (int j = 0; j < kColumnPairs; ++j) sum[j] = vmulq_f32(sum[j], scales);
  StoreRow(vpaddq_f32(sum[0], sum[1]), vpaddq_f32(sum[2], sum[3]), to, 0);
}

uint64_t PackedBytes(int64_t outputs, int64_t inner) {
  return static_cast<uint64_t>(CeilDiv(outputs, kPanelColumns) * Q4_0::PanelBytes(inner));
}

uint8_t Quant(const BlockQ4_0& block, int i) {
  return i < 16 ? block.quants[i] & 15 : block.quants[i - 16] >> 4;
}

// Packs one column of a panel; row nullptr means a column past the last, whose scales are zero.
void PackColumn(const BlockQ4_0* row, int64_t blocks, int64_t column, std::byte* panel) {
  for (int64_t b = 0; b < blocks; b += 2) {
    const int64_t first = b / kGroupBlocks * kGroupBlocks;
    const int64_t count = Q4_0::StoredBlocks(Smaller(kGroupBlocks, blocks - first));
    std::byte* group = panel + first * kPackedBlockBytes;
    std::byte* scale = group + (b - first) * kScaleBytes + column * 4;
    std::byte* quants = group + count * kScaleBytes + (b - first) * kQuantBytes + column * 8;
    const BlockQ4_0 even = row == nullptr ? BlockQ4_0{} : row[b];
    const BlockQ4_0 odd = row == nullptr || b + 1 == blocks ? BlockQ4_0{} : row[b + 1];
    memcpy(scale, &even.scale, 2);
    memcpy(scale + 2, &odd.scale, 2);
    for (int i = 0; i < 32; ++i) {
      quants[i / 8 * 64 + i % 8] =
          static_cast<std::byte>((Quant(even, i) ^ 8) << 4 | Quant(odd, i));
    }
  }
}

void Pack(const std::byte* rows, int64_t outputs, int64_t inner, int64_t begin_panel,
          int64_t end_panel, std::byte* packed) {
  const int64_t blocks = inner / kBlock;
  const BlockQ4_0* first = reinterpret_cast<const BlockQ4_0*>(rows);
  for (int64_t p = begin_panel; p < end_panel; ++p) {
    std::byte* panel = packed + p * Q4_0::PanelBytes(inner);
    for (int64_t column = 0; column < kPanelColumns; ++column) {
      const int64_t row = p * kPanelColumns + column;
      PackColumn(row < outputs ? first + row * blocks : nullptr, blocks, column, panel);
    }
  }
}

ActivationForm Form(int64_t /*tokens*/) { return ActivationForm::kInt8Tiles; }

void Run(const LinearCall& call, int64_t begin, int64_t end) {
  if (call.tokens <= kStreamTokens) {
    StreamPanels<Q4_0>(call, begin, end);
  } else {
    MultiplyPanels<Q4_0>(call, begin, end);
  }
}

}  // namespace

constinit const LinearKernel kLinearQ4_0 = {
    "q4_0_8x8_pairs", kPanelColumns, PackedBytes, Pack, Form, PanelScratchBytes<Q4_0>, Run};

}  // namespace infer::simd::i8mm
