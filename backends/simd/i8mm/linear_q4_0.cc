// SPDX-License-Identifier: Apache-2.0
//
// Q4_0 weights. Packed: panels of 8 rows with as many bytes as in the file, see stream_blocks.h. A
// block's quants are [2][8 columns][8 bytes]: byte i of half h holds element 8 * h + i in its low
// and element 16 + 8 * h + i in its high half, as two's complement (the file's number with its top
// bit turned). A shift or a mask then gives 16 times the number, and no zero point is left over.
#include <string.h>

#include "backends/formats/simple_blocks.h"
#include "backends/simd/i8mm/int8_kernels.h"
#include "backends/simd/i8mm/multiply_panels.h"
#include "backends/simd/i8mm/stream_blocks.h"
#include "backends/simd/i8mm/stream_panels.h"

namespace infer::simd::i8mm {
namespace {

using formats::BlockQ4_0;

constexpr int64_t kQuantBytes = kBlock * kPanelColumns / 2;
constexpr int64_t kPackedBlockBytes = kScaleBytes + kQuantBytes;

struct Q4_0 {
  static constexpr int kElements = 32;
  static constexpr bool kHasOffsets = false;
  static constexpr bool kStoresQuants = false;
  static constexpr int64_t kBlockBytes = kQuantBytes;
  static constexpr float kFactor = 16;

  static int8x16_t Operand(const std::byte* block, int step, int pair) {
    const int8_t* at = reinterpret_cast<const int8_t*>(block) + step % 2 * 64 + pair * 16;
    const int8x16_t packed = vld1q_s8(at);
    if (step < 2) return vshlq_n_s8(packed, 4);
    return vandq_s8(packed, vdupq_n_s8(static_cast<int8_t>(0xF0)));
  }

  static void LoadBlock(const std::byte* quants, const std::byte* scale_at, int8_t* out,
                        float* scales) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      vst1q_s8(out + 16 * i, Operand(quants, i / 4, i % 4));
      vst1q_s8(out + 128 + 16 * i, Operand(quants, 2 + i / 4, i % 4));
    }
    float32x4_t wide[2];
    WidenScales(scale_at, wide);
    vst1q_f32(scales, vmulq_n_f32(wide[0], 1 / kFactor));
    vst1q_f32(scales + 4, vmulq_n_f32(wide[1], 1 / kFactor));
  }

  static int64_t PanelBytes(int64_t inner) { return inner / kBlock * kPackedBlockBytes; }

  static void OneRow(const std::byte* panel, const Int8Tile& tile, int64_t inner,
                     const TileOut& to) {
    StreamOneRow<Q4_0>(panel, tile, inner, to);
  }

  template <int kPairs>
  static void Rows(const std::byte* panel, const Int8Tile& tile, int64_t inner, const TileOut& to) {
    StreamRows<Q4_0, kPairs>(panel, tile, inner, to);
  }

  static void Load(const LinearCall& call, int64_t column, PanelToFill& panel) {
    const int64_t blocks = call.inner / kBlock;
    const std::byte* at = call.weight + column / kPanelColumns * blocks * kPackedBlockBytes;
    for (int64_t b = 0; b < blocks; at += kGroupBlocks * kPackedBlockBytes) {
      const int64_t count = Smaller(kGroupBlocks, blocks - b);
      for (int64_t i = 0; i < count; ++i, ++b) {
        LoadBlock(at + count * kScaleBytes + i * kQuantBytes, at + i * kScaleBytes,
                  panel.quants + b * kBlock * kPanelColumns, panel.scales + b * kPanelColumns);
      }
    }
  }
};

uint64_t PackedBytes(int64_t outputs, int64_t inner) {
  return static_cast<uint64_t>(CeilDiv(outputs, kPanelColumns) * (inner / kBlock) *
                               kPackedBlockBytes);
}

// One column of a panel; row nullptr: a column past the last, whose scales are zero.
void PackColumn(const BlockQ4_0* row, int64_t blocks, int64_t column, std::byte* panel) {
  for (int64_t b = 0; b < blocks; ++b) {
    const int64_t first = b / kGroupBlocks * kGroupBlocks;
    const int64_t count = Smaller(kGroupBlocks, blocks - first);
    std::byte* group = panel + first * kPackedBlockBytes;
    std::byte* scale = group + (b - first) * kScaleBytes + column * 2;
    std::byte* quants = group + count * kScaleBytes + (b - first) * kQuantBytes + column * 8;
    const BlockQ4_0 block = row == nullptr ? BlockQ4_0{} : row[b];
    memcpy(scale, &block.scale, 2);
    for (int i = 0; i < 16; ++i) {
      quants[i / 8 * 64 + i % 8] = static_cast<std::byte>(block.quants[i] ^ 0x88);
    }
  }
}

void Pack(const std::byte* rows, int64_t outputs, int64_t inner, int64_t begin_panel,
          int64_t end_panel, std::byte* packed) {
  const int64_t blocks = inner / kBlock;
  const BlockQ4_0* first = reinterpret_cast<const BlockQ4_0*>(rows);
  for (int64_t p = begin_panel; p < end_panel; ++p) {
    std::byte* panel = packed + p * blocks * kPackedBlockBytes;
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

constinit const LinearKernel kLinearQ4_0 = {"q4_0_8x8", kPanelColumns,           PackedBytes, Pack,
                                            Form,       PanelScratchBytes<Q4_0>, Run};

}  // namespace infer::simd::i8mm
