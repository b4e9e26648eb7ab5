// SPDX-License-Identifier: Apache-2.0
//
// Q8_0 weights. Packed: panels of 8 rows with the bytes of the file, see stream_blocks.h; a block's
// quants are [4 steps of 8 elements][8 columns][8], which every kernel reads as they are.
#include <string.h>

#include "backends/formats/simple_blocks.h"
#include "backends/simd/i8mm/int8_kernels.h"
#include "backends/simd/i8mm/multiply_panels.h"
#include "backends/simd/i8mm/stream_blocks.h"
#include "backends/simd/i8mm/stream_panels.h"

namespace infer::simd::i8mm {
namespace {

using formats::BlockQ8_0;

constexpr int64_t kQuantBytes = kBlock * kPanelColumns;

struct Q8_0 {
  static constexpr int kElements = 32;
  static constexpr bool kHasOffsets = false;
  static constexpr bool kStoresQuants = true;
  static constexpr int64_t kBlockBytes = kQuantBytes;
  static constexpr float kFactor = 1;

  static constexpr int64_t StoredBlocks(int64_t blocks) { return blocks; }

  template <int kOdd>
  static int8x16_t Operand(const std::byte* quants, int64_t pair, int step, int j) {
    return vld1q_s8(reinterpret_cast<const int8_t*>(quants) + (2 * pair + kOdd) * kQuantBytes +
                    step * 64 + j * 16);
  }

  template <int kOdd>
  static void Scales(const std::byte* scales, int64_t pair, float32x4_t (&out)[2]) {
    WidenScales(scales + (2 * pair + kOdd) * kScaleBytes, out);
  }

  static int64_t PanelBytes(int64_t inner) { return inner / kBlock * (kScaleBytes + kQuantBytes); }

  static const Int8Tile& MakeRow(const Int8Tile& tile, int64_t /*inner*/, std::byte* /*scratch*/) {
    return tile;
  }

  static void OneRow(const std::byte* panel, const Int8Tile& tile, int64_t inner,
                     const TileOut& to) {
    StreamOneRow<Q8_0>(panel, tile, inner, to);
  }

  template <int kPairs>
  static void Rows(const std::byte* panel, const Int8Tile& tile, int64_t inner, const TileOut& to) {
    StreamRows<Q8_0, kPairs>(panel, tile, inner, to);
  }

  static void Load(const LinearCall& call, int64_t column, PanelToFill& panel) {
    const int64_t blocks = call.inner / kBlock;
    const std::byte* at =
        call.weight + column / kPanelColumns * blocks * (kScaleBytes + kQuantBytes);
    panel.stored_quants = reinterpret_cast<const int8_t*>(at);
    panel.skip_bytes = kScaleBytes;
    for (int64_t b = 0; b < blocks; at += kGroupBlocks * (kScaleBytes + kQuantBytes)) {
      const int64_t count = Smaller(kGroupBlocks, blocks - b);
      for (int64_t i = 0; i < count; ++i, ++b) {
        float32x4_t scales[2];
        WidenScales(at + i * kScaleBytes, scales);
        vst1q_f32(panel.scales + b * kPanelColumns, scales[0]);
        vst1q_f32(panel.scales + b * kPanelColumns + 4, scales[1]);
      }
    }
  }
};

uint64_t PackedBytes(int64_t outputs, int64_t inner) {
  return static_cast<uint64_t>(CeilDiv(outputs, kPanelColumns) * (inner / kBlock) *
                               (kScaleBytes + kQuantBytes));
}

// Packs one column of a panel; row nullptr means a column past the last, which is zeros.
void PackColumn(const BlockQ8_0* row, int64_t blocks, int64_t column, std::byte* panel) {
  for (int64_t b = 0; b < blocks; ++b) {
    const int64_t first = b / kGroupBlocks * kGroupBlocks;
    const int64_t count = Smaller(kGroupBlocks, blocks - first);
    std::byte* group = panel + first * (kScaleBytes + kQuantBytes);
    std::byte* scale = group + (b - first) * kScaleBytes + column * 2;
    std::byte* quants = group + count * kScaleBytes + (b - first) * kQuantBytes + column * 8;
    const BlockQ8_0 block = row == nullptr ? BlockQ8_0{} : row[b];
    memcpy(scale, &block.scale, 2);
    for (int step = 0; step < 4; ++step) memcpy(quants + step * 64, block.quants + step * 8, 8);
  }
}

void Pack(const std::byte* rows, int64_t outputs, int64_t inner, int64_t begin_panel,
          int64_t end_panel, std::byte* packed) {
  const int64_t blocks = inner / kBlock;
  const BlockQ8_0* first = reinterpret_cast<const BlockQ8_0*>(rows);
  for (int64_t p = begin_panel; p < end_panel; ++p) {
    std::byte* panel = packed + p * blocks * (kScaleBytes + kQuantBytes);
    for (int64_t column = 0; column < kPanelColumns; ++column) {
      const int64_t row = p * kPanelColumns + column;
      PackColumn(row < outputs ? first + row * blocks : nullptr, blocks, column, panel);
    }
  }
}

ActivationForm Form(int64_t /*tokens*/) { return ActivationForm::kInt8Tiles; }

void Run(const LinearCall& call, int64_t begin, int64_t end) {
  if (call.tokens <= kStreamTokens) {
    StreamPanels<Q8_0>(call, begin, end);
  } else {
    MultiplyPanels<Q8_0>(call, begin, end);
  }
}

}  // namespace

constinit const LinearKernel kLinearQ8_0 = {"q8_0_8x8", kPanelColumns,           PackedBytes, Pack,
                                            Form,       PanelScratchBytes<Q8_0>, Run};

}  // namespace infer::simd::i8mm
