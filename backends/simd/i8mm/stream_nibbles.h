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

// A row of activations in the form that these products read.
struct NibbleRow {
  const Int8Tile* tile;
  const int8_t* operands;  // [pairs][4 steps][2][16]: {a_even, 0} and {-a_even, a_odd}
};

// Fills `memory`, kPairOperandBytes for each pair of blocks.
inline NibbleRow MakeNibbleRow(const Int8Tile& tile, int64_t inner, std::byte* memory) {
  auto* out = reinterpret_cast<int8_t*>(memory);
  const NibbleRow row = {&tile, out};
  const int8_t* even = tile.quants;
  for (int64_t p = 0; p < inner / kPairElements; ++p, even += kPairElements * 2) {
    for (int64_t step = 0; step < kNibbleSteps; ++step, out += 32) {
      const int8x8_t a = vld1_s8(even + step * 16);
      const int8x8_t b = vld1_s8(even + kBlock * 2 + step * 16);
      vst1q_s8(out, vcombine_s8(a, vdup_n_s8(0)));
      vst1q_s8(out + 16, vcombine_s8(vneg_s8(a), b));
    }
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

alignas(16) constexpr int8_t kLowHalves[16] = {15, 15, 15, 15, 15, 15, 15, 15,
                                               15, 15, 15, 15, 15, 15, 15, 15};

}  // namespace
}  // namespace infer::simd::i8mm
