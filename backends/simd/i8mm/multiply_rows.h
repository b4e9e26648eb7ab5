// SPDX-License-Identifier: Apache-2.0
//
// Products with weights as stored in the file: panels of 8 rows are unpacked to int8 on the fly,
// even for one token. Rare types need no packed layout of their own.
#pragma once

#include <arm_neon.h>
#include <string.h>

#include "backends/formats/half_bits.h"
#include "backends/simd/i8mm/multiply_panels.h"

namespace infer::simd::i8mm {
namespace {

inline float Widen(formats::HalfBits half) {
  __fp16 value;
  memcpy(&value, &half, sizeof(value));
  return static_cast<float>(value);
}

// One column of a panel, starting at one of the file's blocks.
struct ColumnToFill {
  int8_t* quants;
  float* scales;
  uint16_t* offsets;  // bf16; those of four parts are contiguous

  // Stores elements [first, first + 16) of the file's block.
  void Put(int first, int8x16_t v) const {
    vst1_s8(quants + first * kPanelColumns, vget_low_s8(v));
    vst1_s8(quants + (first + 8) * kPanelColumns, vget_high_s8(v));
  }
  void PutScale(int part, float scale) const { scales[part * kPanelColumns] = scale; }
  // `part` counts from `first_part`, the index of the block's first part in its row.
  void PutOffset(int64_t first_part, int part, float offset) const {
    const int64_t place = first_part + part;
    const bfloat16x4_t rounded = vcvt_bf16_f32(vdupq_n_f32(offset));
    offsets[place / 4 * 32 + place % 4] = vget_lane_u16(vreinterpret_u16_bf16(rounded), 0);
  }
};

// Type provides the file's Block, kPart (elements that share a scale), kHasOffsets, and
// Unpack(block, first_part, column).
template <class Type>
struct FileRows {
  using Block = typename Type::Block;
  static constexpr int kElements = Type::kPart;
  static constexpr bool kHasOffsets = Type::kHasOffsets;
  static constexpr bool kStoresQuants = false;
  static constexpr int64_t kBlockParts = Block::kElements / Type::kPart;

  static int64_t PanelBytes(int64_t inner) {
    return inner / Block::kElements * static_cast<int64_t>(sizeof(Block)) * kPanelColumns;
  }

  static void Load(const LinearCall& call, int64_t column, PanelToFill& panel) {
    const int64_t columns = Smaller(kPanelColumns, call.outputs - column);
    const int64_t parts = call.inner / kElements;
    if (columns < kPanelColumns) {
      memset(panel.quants, 0, static_cast<size_t>(call.inner * kPanelColumns));
      memset(panel.scales, 0, static_cast<size_t>(parts * kPanelColumns * 4));
    }
    if (kHasOffsets && (columns < kPanelColumns || parts % 4 != 0)) {
      memset(panel.offsets, 0, static_cast<size_t>(CeilDiv(parts, 4) * 64));
    }
    const int64_t blocks = call.inner / Block::kElements;
    const Block* rows = reinterpret_cast<const Block*>(call.weight) + column * blocks;
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t b = 0; b < blocks; ++b) {
        Type::Unpack(rows[c * blocks + b], b * kBlockParts,
                     {panel.quants + b * Block::kElements * kPanelColumns + c * 8,
                      panel.scales + b * kBlockParts * kPanelColumns + c, panel.offsets + c * 4});
      }
    }
  }
};

inline ActivationForm FileRowsForm(int64_t /*tokens*/) { return ActivationForm::kInt8Tiles; }

template <class Type>
constexpr LinearKernel FileRowsKernel() {
  return {"gguf",
          kPanelColumns,
          nullptr,
          nullptr,
          FileRowsForm,
          PanelScratchBytes<FileRows<Type>>,
          MultiplyPanels<FileRows<Type>>};
}

}  // namespace
}  // namespace infer::simd::i8mm
