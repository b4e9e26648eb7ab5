// SPDX-License-Identifier: Apache-2.0
//
// Blocks of 32 elements: Q4_1, Q5_0, Q5_1, IQ4_NL, MXFP4. Quants are centred and multiplied by the
// largest factor that fits into 8 bits, because the tile's rounding error is a fraction of one
// unit.
#include "backends/formats/simple_blocks.h"
#include "backends/formats/table_blocks.h"
#include "backends/simd/i8mm/int8_kernels.h"
#include "backends/simd/i8mm/multiply_rows.h"

namespace infer::simd::i8mm {
namespace {

// Returns 0xFF where the element's bit in the 16 bits at `bits` is set.
inline uint8x16_t SpreadBits(const uint8_t* bits) {
  const uint8x16_t bytes = vcombine_u8(vdup_n_u8(bits[0]), vdup_n_u8(bits[1]));
  const uint8x16_t masks = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201u));
  return vtstq_u8(bytes, masks);
}

// Returns 8 * (q - 16) for 16 five-bit numbers from their nibbles and spread fifth bits. In two's
// complement the flipped fifth bit is the sign.
inline int8x16_t CentreFive(uint8x16_t nibbles, uint8x16_t fifth) {
  const uint8x16_t high = vandq_u8(vmvnq_u8(fifth), vdupq_n_u8(16));
  return vreinterpretq_s8_u8(vshlq_n_u8(vorrq_u8(nibbles, high), 3));
}

template <class AnyBlock>
inline void PutFiveBits(const AnyBlock& block, const ColumnToFill& column) {
  const uint8x16_t packed = vld1q_u8(block.quants);
  const uint8x16_t low = vandq_u8(packed, vdupq_n_u8(15));
  column.Put(0, CentreFive(low, SpreadBits(block.high)));
  column.Put(16, CentreFive(vshrq_n_u8(packed, 4), SpreadBits(block.high + 2)));
}

struct Q4_1 {
  using Block = formats::BlockQ4_1;
  static constexpr int kPart = 32;
  static constexpr bool kHasOffsets = true;

  static void Unpack(const Block& block, int64_t first_part, const ColumnToFill& column) {
    const uint8x16_t turned = veorq_u8(vld1q_u8(block.quants), vdupq_n_u8(0x88));
    column.Put(0, vreinterpretq_s8_u8(vshlq_n_u8(turned, 4)));
    column.Put(16, vreinterpretq_s8_u8(vandq_u8(turned, vdupq_n_u8(0xF0))));
    const float scale = Widen(block.scale);
    column.PutScale(0, scale / 16);
    column.PutOffset(first_part, 0, Widen(block.min) + 8 * scale);
  }
};

struct Q5_0 {
  using Block = formats::BlockQ5_0;
  static constexpr int kPart = 32;
  static constexpr bool kHasOffsets = false;

  static void Unpack(const Block& block, int64_t /*first_part*/, const ColumnToFill& column) {
    PutFiveBits(block, column);
    column.PutScale(0, Widen(block.scale) / 8);
  }
};

struct Q5_1 {
  using Block = formats::BlockQ5_1;
  static constexpr int kPart = 32;
  static constexpr bool kHasOffsets = true;

  static void Unpack(const Block& block, int64_t first_part, const ColumnToFill& column) {
    PutFiveBits(block, column);
    const float scale = Widen(block.scale);
    column.PutScale(0, scale / 8);
    column.PutOffset(first_part, 0, Widen(block.min) + 16 * scale);
  }
};

inline void PutTable(const uint8_t* indices, int8x16_t table, const ColumnToFill& column) {
  const uint8x16_t packed = vld1q_u8(indices);
  column.Put(0, vqtbl1q_s8(table, vandq_u8(packed, vdupq_n_u8(15))));
  column.Put(16, vqtbl1q_s8(table, vshrq_n_u8(packed, 4)));
}

struct IQ4_NL {
  using Block = formats::BlockIQ4_NL;
  static constexpr int kPart = 32;
  static constexpr bool kHasOffsets = false;

  static void Unpack(const Block& block, int64_t /*first_part*/, const ColumnToFill& column) {
    PutTable(block.indices, vld1q_s8(formats::kIq4Values), column);
    column.PutScale(0, Widen(block.scale));
  }
};

struct MXFP4 {
  using Block = formats::BlockMXFP4;
  static constexpr int kPart = 32;
  static constexpr bool kHasOffsets = false;

  static void Unpack(const Block& block, int64_t /*first_part*/, const ColumnToFill& column) {
    PutTable(block.indices, vshlq_n_s8(vld1q_s8(formats::kMxfp4Values), 3), column);
    column.PutScale(0, formats::Mxfp4Scale(block.exponent) / 8);
  }
};

}  // namespace

constinit const LinearKernel kLinearQ4_1 = FileRowsKernel<Q4_1>();
constinit const LinearKernel kLinearQ5_0 = FileRowsKernel<Q5_0>();
constinit const LinearKernel kLinearQ5_1 = FileRowsKernel<Q5_1>();
constinit const LinearKernel kLinearIQ4_NL = FileRowsKernel<IQ4_NL>();
constinit const LinearKernel kLinearMXFP4 = FileRowsKernel<MXFP4>();

}  // namespace infer::simd::i8mm
