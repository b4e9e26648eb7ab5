// SPDX-License-Identifier: Apache-2.0
//
// Q6_K weights. Packed: panels of 8 rows with the same number of bytes as in the file. A block of
// 256 elements:
//   f16 [8 columns] scales, s8 [16 parts of 16][8 columns] part scales,
//   [16 parts][2 halves of the columns][3][16 bytes] quants.
// The four operands of 4 columns and a part (2 steps of 8 elements, 2 column pairs) are in three
// registers: each has one in its upper 6 bits, as two's complement, and 2 bits of the fourth below.
// 3 masks, 2 inserts and a shift then unpack 64 weights to 4 times their value; 4 + 2 bits as in
// the file would take 11 to 15 instructions.
#include <string.h>

#include "backends/formats/k_blocks.h"
#include "backends/simd/i8mm/int8_kernels.h"
#include "backends/simd/i8mm/multiply_panels.h"
#include "backends/simd/i8mm/super_panels.h"

namespace infer::simd::i8mm {
namespace {

using formats::BlockQ6_K;

struct PackedBlock {
  uint16_t scales[kPanelColumns];
  int8_t part_scales[16][kPanelColumns];
  uint8_t quants[16][2][3][16];
};
static_assert(sizeof(PackedBlock) == 1680);

const PackedBlock& At(const std::byte* block) {
  return *reinterpret_cast<const PackedBlock*>(block);
}

struct Q6_K {
  static constexpr int kElements = 16;
  static constexpr bool kHasOffsets = false;
  static constexpr int64_t kBytes = sizeof(PackedBlock);
  static constexpr int kPart = 16;
  static constexpr bool kHasMins = false;

  static int64_t PanelBytes(int64_t inner) { return inner / kSuperBlock * kBytes; }

  static int8x16_t Operand(const std::byte* block, int part, int step, int pair) {
    const uint8_t* packed = At(block).quants[part][pair / 2][0];
    const int operand = step * 2 + pair % 2;
    if (operand < 3) {
      const uint8x16_t v = vld1q_u8(packed + 16 * operand);
      return vreinterpretq_s8_u8(vandq_u8(v, vdupq_n_u8(0xFC)));
    }
    const uint8x16_t low = vsliq_n_u8(vld1q_u8(packed + 32), vld1q_u8(packed + 16), 2);
    return vreinterpretq_s8_u8(vshlq_n_u8(vsliq_n_u8(low, vld1q_u8(packed), 4), 2));
  }
  static int16x8_t PartScales(const std::byte* block, int part) {
    return vmovl_s8(vld1_s8(At(block).part_scales[part]));
  }
  static void Scales(const std::byte* block, float32x4_t (&out)[2]) {
    WidenScales(reinterpret_cast<const std::byte*>(At(block).scales), out);
    for (int i = 0; i < 2; ++i) out[i] = vmulq_n_f32(out[i], 0.25f);
  }

  static const Int8Tile& MakeRow(const Int8Tile& tile, int64_t /*inner*/, std::byte* /*scratch*/) {
    return tile;
  }

  static void OneRow(const std::byte* panel, const Int8Tile& tile, int64_t inner,
                     const TileOut& to) {
    StreamOneSuperRow<Q6_K>(panel, tile, inner, to);
  }
  template <int kPairs>
  static void Rows(const std::byte* panel, const Int8Tile& tile, int64_t inner, const TileOut& to) {
    StreamSuperRows<Q6_K, kPairs>(panel, tile, inner, to);
  }

  static void Load(const LinearCall& call, int64_t column, PanelToFill& panel);
};

// Loads one part: its quants, and its scales from those of the block.
void LoadPart(const PackedBlock& block, int part, const float32x4_t (&d)[2], int8_t* quants,
              float* scales) {
  const std::byte* at = reinterpret_cast<const std::byte*>(&block);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) vst1q_s8(quants + 16 * i, Q6_K::Operand(at, part, i / 4, i % 4));
  const int16x8_t s = Q6_K::PartScales(at, part);
  vst1q_f32(scales, vmulq_f32(vcvtq_f32_s32(vmovl_s16(vget_low_s16(s))), d[0]));
  vst1q_f32(scales + 4, vmulq_f32(vcvtq_f32_s32(vmovl_high_s16(s)), d[1]));
}

void Q6_K::Load(const LinearCall& call, int64_t column, PanelToFill& panel) {
  const std::byte* at = call.weight + column / kPanelColumns * PanelBytes(call.inner);
  for (int64_t b = 0; b < call.inner / kSuperBlock; ++b, at += kBytes) {
    float32x4_t d[2];
    Scales(at, d);
    for (int part = 0; part < 16; ++part) {
      const int64_t place = (b * 16 + part) * kPanelColumns;
      LoadPart(At(at), part, d, panel.quants + place * kElements, panel.scales + place);
    }
  }
}

uint64_t PackedBytes(int64_t outputs, int64_t inner) {
  return static_cast<uint64_t>(CeilDiv(outputs, kPanelColumns) * Q6_K::PanelBytes(inner));
}

// Unpacks 4 times the quants of a block of one column, as two's complement.
void UnpackColumn(const BlockQ6_K& block, uint8_t* out) {
  int8_t quants[BlockQ6_K::kElements];
  formats::UnpackQuants(block, quants);
  for (int i = 0; i < BlockQ6_K::kElements; ++i) out[i] = static_cast<uint8_t>(quants[i] * 4);
}

void PackPart(const uint8_t (*quants)[kSuperBlock], int part, PackedBlock& out) {
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < 16; ++i) {
      uint8_t operands[4];  // byte i of each: column i / 8 of its pair
      for (int o = 0; o < 4; ++o) {
        operands[o] = quants[half * 4 + o % 2 * 2 + i / 8][part * 16 + o / 2 * 8 + i % 8];
      }
      for (int o = 0; o < 3; ++o) {
        out.quants[part][half][o][i] =
            static_cast<uint8_t>(operands[o] | (operands[3] >> (6 - 2 * o) & 3));
      }
    }
  }
}

void PackBlock(const BlockQ6_K* first, int64_t row_blocks, int64_t columns, PackedBlock& out) {
  uint8_t quants[kPanelColumns][kSuperBlock];
  for (int64_t column = 0; column < kPanelColumns; ++column) {
    // Columns past the last have zero scales.
    const BlockQ6_K block = column < columns ? first[column * row_blocks] : BlockQ6_K{};
    memcpy(&out.scales[column], &block.scale, 2);
    for (int part = 0; part < 16; ++part) out.part_scales[part][column] = block.scales[part];
    UnpackColumn(block, quants[column]);
  }
  for (int part = 0; part < 16; ++part) PackPart(quants, part, out);
}

void Pack(const std::byte* rows, int64_t outputs, int64_t inner, int64_t begin_panel,
          int64_t end_panel, std::byte* packed) {
  const int64_t blocks = inner / kSuperBlock;
  const BlockQ6_K* first = reinterpret_cast<const BlockQ6_K*>(rows);
  for (int64_t p = begin_panel; p < end_panel; ++p) {
    PackedBlock* panel = reinterpret_cast<PackedBlock*>(packed + p * Q6_K::PanelBytes(inner));
    const int64_t row = p * kPanelColumns;
    for (int64_t b = 0; b < blocks; ++b) {
      PackBlock(first + row * blocks + b, blocks, outputs - row, panel[b]);
    }
  }
}

constexpr LinearKernel Kernel() {
  LinearKernel kernel;
  kernel.layout = "q6_k_8x8";
  kernel.panel_outputs = kPanelColumns;
  kernel.packed_bytes = PackedBytes;
  kernel.pack = Pack;
  kernel.form = SuperForm;
  kernel.scratch_bytes = SuperScratchBytes<Q6_K>;
  kernel.run = MultiplySuperBlocks<Q6_K>;
  kernel.numerics = SuperNumerics;
  return kernel;
}

constexpr LinearKernel TileKernel() {
  LinearKernel kernel = Kernel();
  kernel.form = [](int64_t) { return ActivationForm::kInt8Tiles; };
  kernel.scratch_bytes = PanelScratchBytes<Q6_K>;
  kernel.run = MultiplyPanels<Q6_K>;
  kernel.numerics = nullptr;
  return kernel;
}

}  // namespace

constinit const LinearKernel kLinearQ6_K = Kernel();
constinit const LinearKernel kTilesQ6_K = TileKernel();

}  // namespace infer::simd::i8mm
