// SPDX-License-Identifier: Apache-2.0
//
// The product of one activation tile with a panel of 8 weight columns in int8.
//
// The difficulty is the scales of weight blocks: converting sums to float issues once per cycle, a
// quarter of the rate of smmla, so a conversion for each block would halve the speed. Instead:
//  * An accumulator that starts at the bits of the float kMagic = 1.5 * 2^23 reads as the float
//    kMagic + x while |x| < 2^22: the sums of a group of 128 stay below 128 * 128 * 127 < 2^21.
//  * With prefix sums P_b over the blocks of a group, sum_b scale_b * x_b is
//    sum_b (scale_b - scale_{b+1}) * P_b, so that the accumulator runs on from block to block.
//    The kMagic in each term adds up to kMagic * scale_0, subtracted when the group begins.
// This leaves one fmla per block and accumulator. Its rounding is about one unit of the integer sum
// per group, 6e-5 of the result, a hundredth of the error of int8 activations.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/activations_int8.h"

namespace infer::simd::i8mm {
namespace {

constexpr float kMagic = 0x1.8p23f;
constexpr int64_t kPanelColumns = 8;
constexpr int kColumnPairs = kPanelColumns / 2;

// A panel in the form that the tile reads.
struct Int8Panel {
  const int8_t* quants;      // [inner / 8][4 column pairs][2 columns][8]
  const float* deltas;       // [blocks][4 column pairs]{c0, c1, c0, c1}: scale_b - scale_{b+1}
  const float* corrections;  // [groups][4 column pairs], likewise: -kMagic * scale_0
  const uint16_t* offsets;   // [groups][4 column pairs][2 columns][4] bf16; nullptr: none
};

// Sums of row pair r and column pair c: {r0c0, r0c1, r1c0, r1c1}, in units of the last scales.
template <int kPairs>
struct TileSums {
  float32x4_t at[kPairs][kColumnPairs];
};

// Six rows in assembly: compilers spill registers (g++ 12) or order the loads so that a tenth of
// the speed is lost (clang 19). smmla needs 12 independent accumulators to reach 4 per cycle (8
// reach 2.5), and the sums take as many registers again: 6 x 8 fills 24, the other 8 hold operands.
//
// Two sets of registers swap roles at each group: the new sums are created in the old accumulators
// as correction + sum * ratio, and the registers of the old sums restart at kMagic. Loading kMagic
// takes a load slot, of which there are plenty; a move would take a vector slot.
// clang-format off
#define I8_LOAD(i)                                                     \
  "ldp q24, q25, [%[w], #(64*" #i ")]\n ldp q26, q27, [%[w], #(64*" #i \
  "+32)]\n"                                                            \
  "ldp q28, q29, [%[a], #(48*" #i ")]\n ldr q30, [%[a], #(48*" #i "+32)]\n"
#define I8_DOT(x, a, w) "smmla " x ".4s, v" #a ".16b, v" #w ".16b\n"
#define I8_ROWS(x0, x1, x2, x3, a) \
  I8_DOT(x0, a, 24) I8_DOT(x1, a, 25) I8_DOT(x2, a, 26) I8_DOT(x3, a, 27)
#define I8_STEP(i, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) \
  I8_LOAD(i)                                                         \
  I8_ROWS(x0, x1, x2, x3, 28) I8_ROWS(x4, x5, x6, x7, 29) I8_ROWS(x8, x9, x10, x11, 30)
#define I8_FETCH                                                       \
  "prfm pldl2keep, [%[fetch]]\n prfm pldl2keep, [%[fetch], #64]\n"     \
  "prfm pldl2keep, [%[fetch], #128]\n prfm pldl2keep, [%[fetch], #192]\n" \
  "add %[fetch], %[fetch], #256\n"
#define I8_FETCH_L1                                                    \
  "prfm pldl1keep, [%[fetch]]\n prfm pldl1keep, [%[fetch], #64]\n"     \
  "prfm pldl1keep, [%[fetch], #128]\n add %[fetch], %[fetch], #192\n"
#define I8_BLOCK32_FETCH(...) I8_FETCH I8_BLOCK32(__VA_ARGS__)
#define I8_BLOCK32_FETCH_L1(...) I8_FETCH_L1 I8_BLOCK32(__VA_ARGS__)
#define I8_BLOCK16_FETCH(...) I8_FETCH I8_BLOCK16(__VA_ARGS__)
#define I8_BLOCK32(...)                           \
  I8_STEP(0, __VA_ARGS__)                         \
  I8_STEP(1, __VA_ARGS__) I8_STEP(2, __VA_ARGS__) \
      I8_STEP(3, __VA_ARGS__) "add %[w], %[w], #256\n add %[a], %[a], #192\n"
#define I8_BLOCK16(...) \
  I8_STEP(0, __VA_ARGS__) I8_STEP(1, __VA_ARGS__) "add %[w], %[w], #128\n add %[a], %[a], #96\n"
#define I8_ADD(s, x, d) "fmla " s ".4s, " x ".4s, v" #d ".4s\n"
// `q`: the register of the sum as the 128-bit operand of a load.
#define I8_BIRTH(q, s, x, j, r) "ldr " q ", [%[c], #(16*" #j ")]\n" I8_ADD(s, x, r)
#define I8_START(q) "ldr " q ", [%[magic]]\n"

// COUNT: blocks per group; part of the text, because g++ allows only 30 operands.
// One group: the sums s are created from the old sums x, which become the accumulators. `label`
// must be unused.
#define I8_GROUP(BLOCK, COUNT, label, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, s0, s1, s2, s3, \
                 s4, s5, s6, s7, s8, s9, s10, s11, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10,  \
                 p11, t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11)                          \
  "ldp q28, q29, [%[ratio]]\n ldr q30, [%[ratio], #32]\n"                                        \
  I8_BIRTH(t0, s0, x0, 0, 28) I8_BIRTH(t1, s1, x1, 1, 28)                                        \
  I8_BIRTH(t2, s2, x2, 2, 28) I8_BIRTH(t3, s3, x3, 3, 28)                                        \
  I8_BIRTH(t4, s4, x4, 0, 29) I8_BIRTH(t5, s5, x5, 1, 29)                                        \
  I8_BIRTH(t6, s6, x6, 2, 29) I8_BIRTH(t7, s7, x7, 3, 29)                                        \
  I8_BIRTH(t8, s8, x8, 0, 30) I8_BIRTH(t9, s9, x9, 1, 30)                                        \
  I8_BIRTH(t10, s10, x10, 2, 30) I8_BIRTH(t11, s11, x11, 3, 30)                                  \
  I8_START(p0) I8_START(p1) I8_START(p2) I8_START(p3) I8_START(p4) I8_START(p5)                  \
  I8_START(p6) I8_START(p7) I8_START(p8) I8_START(p9) I8_START(p10) I8_START(p11)                \
  "add %[ratio], %[ratio], #48\n add %[c], %[c], #64\n"                                          \
  "mov %[n], #" #COUNT "\n"                                                                 \
  "cmp %[left], %[n]\n csel %[n], %[left], %[n], lt\n sub %[left], %[left], %[n]\n"             \
  ".p2align 5\n" #label ":\n"                                                                    \
  BLOCK(x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11)                                        \
  "ldp q24, q25, [%[d]]\n ldp q26, q27, [%[d], #32]\n add %[d], %[d], #64\n"                     \
  I8_ADD(s0, x0, 24) I8_ADD(s1, x1, 25) I8_ADD(s2, x2, 26) I8_ADD(s3, x3, 27)                    \
  I8_ADD(s4, x4, 24) I8_ADD(s5, x5, 25) I8_ADD(s6, x6, 26) I8_ADD(s7, x7, 27)                    \
  I8_ADD(s8, x8, 24) I8_ADD(s9, x9, 25) I8_ADD(s10, x10, 26) I8_ADD(s11, x11, 27)                \
  "subs %[n], %[n], #1\n b.ne " #label "b\n"

#define I8_OUT_V                                                                            \
  "%[s0]", "%[s1]", "%[s2]", "%[s3]", "%[s4]", "%[s5]", "%[s6]", "%[s7]", "%[s8]", "%[s9]", \
      "%[s10]", "%[s11]"
#define I8_OUT_Q                                                                            \
  "%q[s0]", "%q[s1]", "%q[s2]", "%q[s3]", "%q[s4]", "%q[s5]", "%q[s6]", "%q[s7]", "%q[s8]", \
      "%q[s9]", "%q[s10]", "%q[s11]"
#define I8_OWN_V "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23"
#define I8_OWN_Q "q12", "q13", "q14", "q15", "q16", "q17", "q18", "q19", "q20", "q21", "q22", "q23"
#define I8_EXPAND(MACRO, ...) MACRO(__VA_ARGS__)
#define I8_ZERO(v) "movi " v ".2d, #0\n"
#define I8_ZERO12(a, b, c, d, e, f, g, h, i, j, k, l)                                     \
  I8_ZERO(a)                                                                              \
  I8_ZERO(b) I8_ZERO(c) I8_ZERO(d) I8_ZERO(e) I8_ZERO(f) I8_ZERO(g) I8_ZERO(h) I8_ZERO(i) \
      I8_ZERO(j) I8_ZERO(k) I8_ZERO(l)

// An even number of groups begins with the second half, so that the sums of the last group are
// always in the outputs.
#define I8_TILE(BLOCK, COUNT) \
  asm(I8_EXPAND(I8_ZERO12, I8_OUT_V) I8_EXPAND(I8_ZERO12, I8_OWN_V)                           \
      "tbz %[odd], #0, 3f\n"                                        \
      "1:\n"                                                                                  \
      I8_EXPAND(I8_GROUP, BLOCK, COUNT, 2, I8_OWN_V, I8_OUT_V, I8_OWN_Q, I8_OUT_Q)                   \
      "cbz %[left], 5f\n"                                                                     \
      "3:\n"                                                                                  \
      I8_EXPAND(I8_GROUP, BLOCK, COUNT, 4, I8_OUT_V, I8_OWN_V, I8_OUT_Q, I8_OWN_Q)                   \
      "b 1b\n"                                                                                \
      "5:\n"                                                                                  \
      : [s0] "=&w"(s.at[0][0]), [s1] "=&w"(s.at[0][1]), [s2] "=&w"(s.at[0][2]),               \
        [s3] "=&w"(s.at[0][3]), [s4] "=&w"(s.at[1][0]), [s5] "=&w"(s.at[1][1]),               \
        [s6] "=&w"(s.at[1][2]), [s7] "=&w"(s.at[1][3]), [s8] "=&w"(s.at[2][0]),               \
        [s9] "=&w"(s.at[2][1]), [s10] "=&w"(s.at[2][2]), [s11] "=&w"(s.at[2][3]),             \
        [w] "+r"(w), [a] "+r"(a), [d] "+r"(d), [c] "+r"(c), [ratio] "+r"(ratio),              \
        [left] "+r"(left), [n] "=&r"(n), [fetch] "+r"(fetch)                                  \
      : [magic] "r"(magic),                                        \
        [odd] "r"(groups)                                  \
      : "memory", "cc", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", \
        "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30")

// clang-format on

// Data to prefetch while a tile is multiplied: the weights of the next panel into L2, step_bytes
// with each block (256 in assembly for every type, because operands are scarce), or the quants of
// the next tile into L1. Without it, reading and multiplying do not overlap: a new panel waits for
// memory, a new tile for L2.
struct NextOperands {
  const std::byte* at;  // nullptr: none
  int64_t step_bytes;
  bool is_tile = false;
};

// kElements is the size of a weight block, 32 or 16; `blocks` is inner / kElements.
template <int kElements>
inline TileSums<3> Multiply6x8(const Int8Tile& tile, const Int8Panel& panel, int64_t blocks,
                               const NextOperands& next) {
  constexpr int64_t group_blocks = kGroup / kElements;
  alignas(16) static const float magic[4] = {kMagic, kMagic, kMagic, kMagic};
  const int64_t groups = CeilDiv(blocks, group_blocks);
  const int8_t* w = panel.quants;
  const int8_t* a = tile.quants;
  const float* d = panel.deltas;
  const float* c = panel.corrections;
  const float* ratio = tile.ratios;
  const std::byte* fetch = next.at;
  int64_t left = blocks;
  int64_t n;
  TileSums<3> s;
  if constexpr (kElements == 32) {
    if (next.is_tile) {
      I8_TILE(I8_BLOCK32_FETCH_L1, 4);
    } else if (fetch != nullptr) {
      I8_TILE(I8_BLOCK32_FETCH, 4);
    } else {
      I8_TILE(I8_BLOCK32, 4);
    }
  } else {
    if (fetch != nullptr) {
      I8_TILE(I8_BLOCK16_FETCH, 8);
    } else {
      I8_TILE(I8_BLOCK16, 8);
    }
  }
  return s;
}

// The same for other numbers of row pairs, column pairs [kFirst, kFirst + kCount).
template <int kElements, int kPairs, int kFirst, int kCount>
inline void MultiplySmall(const Int8Tile& tile, const Int8Panel& panel, int64_t blocks,
                          const NextOperands& next, TileSums<kPairs>& sums) {
  constexpr int64_t group_blocks = kGroup / kElements;
  const int8_t* w = panel.quants + 16 * kFirst;
  const int8_t* a = tile.quants;
  const float* d = panel.deltas + 4 * kFirst;
  const float* c = panel.corrections + 4 * kFirst;
  const float* ratio = tile.ratios;
  const std::byte* fetch = next.at;
  float32x4_t sum[kPairs][kCount] = {};
  for (int64_t b = 0; b < blocks; c += 16) {
    const int64_t end = Smaller(b + group_blocks, blocks);
    int32x4_t x[kPairs][kCount];
    for (int r = 0; r < kPairs; ++r, ratio += kPairFloats) {
      for (int j = 0; j < kCount; ++j) {
        x[r][j] = vreinterpretq_s32_f32(vdupq_n_f32(kMagic));
        sum[r][j] = vfmaq_f32(vld1q_f32(c + 4 * j), sum[r][j], vld1q_f32(ratio));
      }
    }
    for (; b < end; ++b, d += 16, fetch += next.step_bytes) {
      if (fetch != nullptr) {  // prefetching an unmapped address costs a page walk
        for (int line = 0; line < 4; ++line) __builtin_prefetch(fetch + 64 * line, 0, 2);
      }
      for (int i = 0; i < kElements / 8; ++i, w += 64, a += kPairs * 16) {
        int8x16_t v[kCount];
        for (int j = 0; j < kCount; ++j) v[j] = vld1q_s8(w + 16 * j);
        for (int r = 0; r < kPairs; ++r) {
          const int8x16_t q = vld1q_s8(a + 16 * r);
          for (int j = 0; j < kCount; ++j) x[r][j] = vmmlaq_s32(x[r][j], q, v[j]);
        }
      }
      for (int j = 0; j < kCount; ++j) {
        const float32x4_t delta = vld1q_f32(d + 4 * j);
        for (int r = 0; r < kPairs; ++r) {
          sum[r][j] = vfmaq_f32(sum[r][j], vreinterpretq_f32_s32(x[r][j]), delta);
        }
      }
    }
  }
  for (int r = 0; r < kPairs; ++r) {
    for (int j = 0; j < kCount; ++j) sums.at[r][kFirst + j] = sum[r][j];
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
