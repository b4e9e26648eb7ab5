// SPDX-License-Identifier: Apache-2.0
//
// One row with packed 4-bit weights whose blocks of 32 come in pairs: a byte holds an element of
// the even block in its high half and the same element of the odd block in its low half.
//
// The instruction multiplies two rows, so with one token a row is free, which saves half of the
// unpacking. With p = 16 * even + odd for a packed byte, one instruction adds p * a_even to the
// first row of the sums, and a second one, on the low halves alone, adds odd * -a_even to the first
// row and odd * a_odd to the second. The first row is then 16 times the product of the even block,
// the second one that of the odd block: 3 instructions for 32 weights, where a mask and a shift for
// the two halves would make 4, and the sums of both blocks are converted together.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/int8_tile.h"

namespace infer::simd::i8mm {
namespace {

constexpr int64_t kPairElements = 2 * kBlock;
constexpr int64_t kNibbleSteps = kBlock / 8;
constexpr int64_t kPairOperandBytes = kNibbleSteps * 2 * 16;

constexpr int64_t BlockPairs(int64_t inner) { return CeilDiv(inner, kPairElements); }

// A row of activations in the form that these products read. For each pair of blocks and step of 8
// elements, the operands {a_even, 0} and {-a_even, a_odd}; and the start values of the sums of the
// pair, as bits of floats around kMagic: from the second row, odd_zero * (sum of a_odd) is
// subtracted, for weights whose low halves are odd_zero too large.
struct NibbleRow {
  const Int8Tile* tile;
  const int8_t* operands;  // [pairs][4 steps][2][16]
  const int32_t* starts;   // [pairs][2 columns][2 rows]
};

// Fills `memory`, kNibbleRowBytes per pair of blocks. An odd block past the end is zeros.
constexpr int64_t kNibbleRowBytes = kPairOperandBytes + 16;
inline NibbleRow MakeNibbleRow(const Int8Tile& tile, int64_t inner, int odd_zero,
                               std::byte* memory) {
  const int64_t pairs = BlockPairs(inner);
  int8_t* out = reinterpret_cast<int8_t*>(memory);
  int32_t* starts = reinterpret_cast<int32_t*>(memory + pairs * kPairOperandBytes);
  const NibbleRow row = {&tile, out, starts};
  for (int64_t p = 0; p < pairs; ++p, starts += 4) {
    const int8_t* even = tile.quants + p * kPairElements * 2;
    const bool has_odd = (2 * p + 1) * kBlock < inner;
    int16x8_t sum = vdupq_n_s16(0);
    for (int64_t step = 0; step < kNibbleSteps; ++step, out += 32) {
      const int8x8_t a = vld1_s8(even + step * 16);
      const int8x8_t b = has_odd ? vld1_s8(even + kBlock * 2 + step * 16) : vdup_n_s8(0);
      vst1q_s8(out, vcombine_s8(a, vdup_n_s8(0)));
      vst1q_s8(out + 16, vcombine_s8(vneg_s8(a), b));
      sum = vaddw_s8(sum, b);
    }
    const int32x4_t magic = vreinterpretq_s32_f32(vdupq_n_f32(kMagic));
    const int32x4_t second_row = {0, 1, 0, 1};
    vst1q_s32(starts, vmlsq_n_s32(magic, second_row, odd_zero * vaddlvq_s16(sum)));
  }
  return row;
}

// Adds the products of a pair's quants, [4 steps][8 columns][8], to x: for each column pair {c0
// even, c0 odd, c1 even, c1 odd}, those of the even block 16 times too large. multiply(sums,
// weights, activations) is the instruction that interprets the bytes with the right signs.
template <class Multiply>
inline void MultiplyNibbles(const std::byte* quants, const int8_t* operands, int8x16_t low_halves,
                            Multiply multiply, int32x4_t (&x)[kColumnPairs]) {
#pragma GCC unroll 4
  for (int step = 0; step < kNibbleSteps; ++step) {
    const int8x16_t both = vld1q_s8(operands + 32 * step);
    const int8x16_t odd = vld1q_s8(operands + 32 * step + 16);
    int8x16_t p[kColumnPairs];
    for (int j = 0; j < kColumnPairs; ++j) {
      p[j] = vld1q_s8(reinterpret_cast<const int8_t*>(quants) + 64 * step + 16 * j);
      x[j] = multiply(x[j], p[j], both);
    }
    for (int j = 0; j < kColumnPairs; ++j) {
      x[j] = multiply(x[j], vandq_s8(p[j], low_halves), odd);
    }
  }
}

// Loads a constant from memory. If all three operands of a multiply-add come from the vector pipes,
// a Neoverse V1 executes 2 per cycle instead of 4; loaded values are read through other ports.
inline int8x16_t LoadedBytes(const int8_t* at) {
  int8x16_t value;
  asm("ldr %q0, [%1]" : "=w"(value) : "r"(at), "m"(*reinterpret_cast<const int8_t(*)[16]>(at)));
  return value;
}

// Uses one load per register: one load and three moves would take three slots of the vector pipes.
inline void LoadStarts(const int32_t* starts, int32x4_t (&x)[kColumnPairs]) {
  for (int j = 0; j < kColumnPairs; ++j) {
    asm volatile("ldr %q0, [%1]" : "=w"(x[j]) : "r"(starts) : "memory");
  }
}

alignas(16) constexpr int8_t kLowHalves[16] = {15, 15, 15, 15, 15, 15, 15, 15,
                                               15, 15, 15, 15, 15, 15, 15, 15};

}  // namespace
}  // namespace infer::simd::i8mm
