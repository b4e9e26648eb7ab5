// SPDX-License-Identifier: Apache-2.0
//
// Blocks of 256 elements: Q2_K, Q3_K, Q5_K, IQ4_XS. As in linear_simple_rows.cc, quants are centred
// and multiplied by the largest factor that fits into 8 bits.
#include "backends/formats/k_blocks.h"
#include "backends/formats/table_blocks.h"
#include "backends/simd/i8mm/int8_kernels.h"
#include "backends/simd/i8mm/multiply_rows.h"

namespace infer::simd::i8mm {
namespace {

// Planes of 32 elements share their bytes with other planes; `shift` is where a plane's bits begin.
inline uint8x16_t ShiftRight(uint8x16_t v, int shift) {
  return vshlq_u8(v, vdupq_n_s8(static_cast<int8_t>(-shift)));
}

struct Q2_K {
  using Block = formats::BlockQ2_K;
  static constexpr int kPart = 16;
  static constexpr bool kHasOffsets = true;

  // 16 * (2 * q - 3)
  static void Unpack(const Block& block, int64_t first_part, const ColumnToFill& column) {
    for (int i = 0; i < 16; ++i) {
      const int plane = i / 2;
      const uint8x16_t packed = vld1q_u8(block.quants + plane / 4 * 32 + i % 2 * 16);
      const uint8x16_t q = vandq_u8(ShiftRight(packed, plane % 4 * 2), vdupq_n_u8(3));
      const int8x16_t twice = vreinterpretq_s8_u8(vshlq_n_u8(q, 5));
      column.Put(16 * i, vsubq_s8(twice, vdupq_n_s8(48)));
    }
    const float scale = Widen(block.scale);
    const float min = Widen(block.min);
    for (int part = 0; part < 16; ++part) {
      const uint8_t packed = block.scales_and_mins[part];
      const float part_scale = scale * static_cast<float>(packed & 15);
      column.PutScale(part, part_scale / 32);
      column.PutOffset(first_part, part, 1.5f * part_scale - min * static_cast<float>(packed >> 4));
    }
  }
};

struct Q3_K {
  using Block = formats::BlockQ3_K;
  static constexpr int kPart = 16;
  static constexpr bool kHasOffsets = false;

  // 16 * (q - 4), where the flipped third bit is the sign.
  static void Unpack(const Block& block, int64_t /*first_part*/, const ColumnToFill& column) {
    for (int i = 0; i < 16; ++i) {
      const int plane = i / 2;
      const uint8x16_t packed = vld1q_u8(block.quants + plane / 4 * 32 + i % 2 * 16);
      const uint8x16_t high = vmvnq_u8(vld1q_u8(block.high + i % 2 * 16));
      const uint8x16_t low = vandq_u8(ShiftRight(packed, plane % 4 * 2), vdupq_n_u8(3));
      const uint8x16_t third = vandq_u8(ShiftRight(high, plane), vdupq_n_u8(1));
      const uint8x16_t q = vsliq_n_u8(low, third, 2);
      column.Put(16 * i, vshrq_n_s8(vreinterpretq_s8_u8(vshlq_n_u8(q, 5)), 1));
    }
    int8_t scales[16];
    formats::UnpackScales(block, scales);
    const float scale = Widen(block.scale) / 16;
    for (int part = 0; part < 16; ++part) {
      column.PutScale(part, scale * static_cast<float>(scales[part]));
    }
  }
};

struct Q5_K {
  using Block = formats::BlockQ5_K;
  static constexpr int kPart = 32;
  static constexpr bool kHasOffsets = true;

  // 8 * (q - 16), where the flipped fifth bit is the sign.
  static void Unpack(const Block& block, int64_t first_part, const ColumnToFill& column) {
    for (int i = 0; i < 16; ++i) {
      const int plane = i / 2;
      const uint8x16_t packed = vld1q_u8(block.quants + plane / 2 * 32 + i % 2 * 16);
      const uint8x16_t high = vmvnq_u8(vld1q_u8(block.high + i % 2 * 16));
      const uint8x16_t low = vandq_u8(ShiftRight(packed, plane % 2 * 4), vdupq_n_u8(15));
      const uint8x16_t fifth = vandq_u8(ShiftRight(high, plane), vdupq_n_u8(1));
      column.Put(16 * i, vreinterpretq_s8_u8(vshlq_n_u8(vsliq_n_u8(low, fifth, 4), 3)));
    }
    uint8_t scales[8];
    uint8_t mins[8];
    formats::UnpackScalesAndMins(block.scales_and_mins, scales, mins);
    const float scale = Widen(block.scale);
    const float min = Widen(block.min);
    for (int part = 0; part < 8; ++part) {
      const float part_scale = scale * static_cast<float>(scales[part]);
      column.PutScale(part, part_scale / 8);
      column.PutOffset(first_part, part, 16 * part_scale - min * static_cast<float>(mins[part]));
    }
  }
};

struct IQ4_XS {
  using Block = formats::BlockIQ4_XS;
  static constexpr int kPart = 32;
  static constexpr bool kHasOffsets = false;

  static void Unpack(const Block& block, int64_t /*first_part*/, const ColumnToFill& column) {
    const int8x16_t table = vld1q_s8(formats::kIq4Values);
    int8_t scales[8];
    formats::UnpackScales(block, scales);
    const float scale = Widen(block.scale);
    for (int part = 0; part < 8; ++part) {
      const uint8x16_t packed = vld1q_u8(block.indices + 16 * part);
      column.Put(32 * part, vqtbl1q_s8(table, vandq_u8(packed, vdupq_n_u8(15))));
      column.Put(32 * part + 16, vqtbl1q_s8(table, vshrq_n_u8(packed, 4)));
      column.PutScale(part, scale * static_cast<float>(scales[part]));
    }
  }
};

}  // namespace

constinit const LinearKernel kLinearQ2_K = FileRowsKernel<Q2_K>();
constinit const LinearKernel kLinearQ3_K = FileRowsKernel<Q3_K>();
constinit const LinearKernel kLinearQ5_K = FileRowsKernel<Q5_K>();
constinit const LinearKernel kLinearIQ4_XS = FileRowsKernel<IQ4_XS>();

}  // namespace infer::simd::i8mm
