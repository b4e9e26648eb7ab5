// SPDX-License-Identifier: Apache-2.0
//
// The product of 6 rows with a panel of 8 columns whose blocks of 256 elements have integer scales
// for parts of 32 or 16, and optionally integer minima: the sums of stream_superblocks.h with the
// same bits, from a copy of the panel in the order of use.
//
// With prefix sums P_p over the parts of a group, sum_p scale_p * x_p is
// sum_p (scale_p - scale_{p+1}) * P_p: the accumulators of smmla run on from part to part, and one
// integer multiply-add for each part and accumulator is all that scales cost.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/int8_tile.h"

namespace infer::simd::i8mm {
namespace {

// A panel in the form that the tile reads. Four floats or integers of a column pair are {c0, c1,
// c0, c1}.
struct SuperPanel {
  const int8_t* quants;     // [inner / 8][4 column pairs][2 columns][8]
  const int32_t* deltas;    // [parts][4 column pairs][4]: scale_p - scale_{p+1} within a group
  const float* scales;      // [groups][4 column pairs][4]
  const float* min_scales;  // the same; nullptr: no minima
  const uint16_t* mins;     // bf16 [groups][4 column pairs][2 columns][4 parts]
};

constexpr int kTilePairs = kTileRows / 2;

// A group, in assembly: compilers spill registers (g++ 12), or order loads and stores so that a
// fifth of the speed is lost (clang 19). smmla needs 12 independent accumulators to reach 4 per
// cycle (8 reach 2.5), and their scaled sums are as many again: 6 x 8 fills 24 registers, v0 to v11
// for the scaled sums of row pairs and v12 to v23 for the accumulators; the others hold operands.
// The floats of the tile are in memory. The first part multiplies, the others multiply and add.
// clang-format off
#define SUPER_DOT(x, a, w) "smmla v" #x ".4s, v" #a ".16b, v" #w ".16b\n"
#define SUPER_STEP(i)                                                                          \
  "ldp q24, q25, [%[w], #(64*" #i ")]\n ldp q26, q27, [%[w], #(64*" #i "+32)]\n"               \
  "ldp q28, q29, [%[a], #(48*" #i ")]\n ldr q30, [%[a], #(48*" #i "+32)]\n"                    \
  SUPER_DOT(12, 28, 24) SUPER_DOT(13, 28, 25) SUPER_DOT(14, 28, 26) SUPER_DOT(15, 28, 27)      \
  SUPER_DOT(16, 29, 24) SUPER_DOT(17, 29, 25) SUPER_DOT(18, 29, 26) SUPER_DOT(19, 29, 27)      \
  SUPER_DOT(20, 30, 24) SUPER_DOT(21, 30, 25) SUPER_DOT(22, 30, 26) SUPER_DOT(23, 30, 27)
#define SUPER_PART32                                                                           \
  SUPER_STEP(0) SUPER_STEP(1) SUPER_STEP(2) SUPER_STEP(3)                                      \
  "add %[w], %[w], #256\n add %[a], %[a], #192\n"                                              \
  "prfm pldl1keep, [%[next]]\n prfm pldl1keep, [%[next], #64]\n"                               \
  "prfm pldl1keep, [%[next], #128]\n add %[next], %[next], #192\n"
#define SUPER_PART16                                                                           \
  SUPER_STEP(0) SUPER_STEP(1) "add %[w], %[w], #128\n add %[a], %[a], #96\n"                   \
  "prfm pldl1keep, [%[next]]\n prfm pldl1keep, [%[next], #64]\n add %[next], %[next], #96\n"
#define SUPER_TIMES(op, s, x, d) #op " v" #s ".4s, v" #x ".4s, v" #d ".4s\n"
#define SUPER_SCALE(op)                                                                        \
  "ldp q24, q25, [%[d]]\n ldp q26, q27, [%[d], #32]\n add %[d], %[d], #64\n"                   \
  SUPER_TIMES(op, 0, 12, 24) SUPER_TIMES(op, 1, 13, 25)                                        \
  SUPER_TIMES(op, 2, 14, 26) SUPER_TIMES(op, 3, 15, 27)                                        \
  SUPER_TIMES(op, 4, 16, 24) SUPER_TIMES(op, 5, 17, 25)                                        \
  SUPER_TIMES(op, 6, 18, 26) SUPER_TIMES(op, 7, 19, 27)                                        \
  SUPER_TIMES(op, 8, 20, 24) SUPER_TIMES(op, 9, 21, 25)                                        \
  SUPER_TIMES(op, 10, 22, 26) SUPER_TIMES(op, 11, 23, 27)
#define SUPER_ZERO(i) "movi v" #i ".2d, #0\n"
#define SUPER_ZERO12                                                                           \
  SUPER_ZERO(12) SUPER_ZERO(13) SUPER_ZERO(14) SUPER_ZERO(15) SUPER_ZERO(16) SUPER_ZERO(17)    \
  SUPER_ZERO(18) SUPER_ZERO(19) SUPER_ZERO(20) SUPER_ZERO(21) SUPER_ZERO(22) SUPER_ZERO(23)
// sum = sum * ratio + float(scaled) * scale, for row pair r (its ratio in v(28 + r)) and the column
// pair whose scale is in v24.
#define SUPER_ADD(sum, scaled, ratio)                                                          \
  "fmul v" #sum ".4s, v" #sum ".4s, v" #ratio ".4s\n scvtf v" #scaled ".4s, v" #scaled ".4s\n" \
  "fmla v" #sum ".4s, v" #scaled ".4s, v24.4s\n"
// sum -= (minima times sums of the activations) * scale. The sums are split so that bf16 has them
// exactly, and all results are exact: integers below 2^21.
#define SUPER_MIN(sum, x, r)                                                                   \
  SUPER_ZERO(x) "ldp q26, q27, [%[row_sums], #(32*" #r ")]\n"                                  \
  "bfmmla v" #x ".4s, v26.8h, v31.8h\n bfmmla v" #x ".4s, v27.8h, v31.8h\n"                    \
  "fmls v" #sum ".4s, v" #x ".4s, v25.4s\n"
#define SUPER_MINS(j)                                                                          \
  "ldr q31, [%[mins], #(16*" #j ")]\n ldr q25, [%[min_scales], #(16*" #j ")]\n"                \
  SUPER_MIN(12, 15, 0) SUPER_MIN(13, 16, 1) SUPER_MIN(14, 17, 2)
#define SUPER_NO_MINS(j)
#define SUPER_COLUMNS(MINS, j, s0, s1, s2)                                                     \
  "ldr q24, [%[scales], #(16*" #j ")]\n ldr q12, [%[sums], #(16*" #j ")]\n"                    \
  "ldr q13, [%[sums], #(16*" #j "+64)]\n ldr q14, [%[sums], #(16*" #j "+128)]\n"               \
  SUPER_ADD(12, s0, 28) SUPER_ADD(13, s1, 29) SUPER_ADD(14, s2, 30) MINS(j)                    \
  "str q12, [%[sums], #(16*" #j ")]\n str q13, [%[sums], #(16*" #j "+64)]\n"                   \
  "str q14, [%[sums], #(16*" #j "+128)]\n"
#define SUPER_GROUP(PART, OTHERS, MINS)                                                        \
  asm volatile(SUPER_ZERO12 PART SUPER_SCALE(mul) "mov %[left], #" #OTHERS "\n"                \
      ".p2align 5\n 1:\n" PART SUPER_SCALE(mla) "subs %[left], %[left], #1\n b.ne 1b\n"        \
      "ldp q28, q29, [%[ratios]]\n ldr q30, [%[ratios], #32]\n"                                \
      SUPER_COLUMNS(MINS, 0, 0, 4, 8) SUPER_COLUMNS(MINS, 1, 1, 5, 9)                          \
      SUPER_COLUMNS(MINS, 2, 2, 6, 10) SUPER_COLUMNS(MINS, 3, 3, 7, 11)                        \
      : [w] "+r"(at.quants), [a] "+r"(at.rows), [d] "+r"(at.deltas), [next] "+r"(at.next),     \
        [left] "=&r"(left)                                                                     \
      : [sums] "r"(sums), [scales] "r"(at.scales), [ratios] "r"(at.ratios),                    \
        [min_scales] "r"(at.min_scales), [mins] "r"(at.mins), [row_sums] "r"(at.row_sums)      \
      : "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10",     \
        "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22",    \
        "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31")
// clang-format on

// The operands of a group.
struct SuperPlace {
  const int8_t* quants;
  const int32_t* deltas;
  const float* scales;
  const float* min_scales;
  const uint16_t* mins;
  const int8_t* rows;
  const float* ratios;
  const uint16_t* row_sums;
  const int8_t* next;  // the rows of the next tile, fetched into L1 meanwhile
};

// Adds the group at `at`, and moves on to the next.
template <int kPart, bool kHasMins>
inline void AddGroup(SuperPlace& at, float* sums) {
  int64_t left;
  static_assert(kGroup == 128, "the numbers of parts after the first");
  if constexpr (kHasMins) {
    static_assert(kPart == 32);
    SUPER_GROUP(SUPER_PART32, 3, SUPER_MINS);
    at.min_scales += 16;
    at.mins += 32;
    at.row_sums += kTilePairs * 16;
  } else {
    static_assert(kPart == 16);
    SUPER_GROUP(SUPER_PART16, 7, SUPER_NO_MINS);
  }
  at.scales += 16;
  at.ratios += kTilePairs * kPairFloats;
}

template <int kPart, bool kHasMins>
inline TileSums<kTilePairs> MultiplySuperTile(const Int8Tile& tile, const SuperPanel& panel,
                                              int64_t groups, const int8_t* next) {
  SuperPlace at = {panel.quants,     panel.deltas,    panel.scales,
                   panel.min_scales, panel.mins,      tile.quants,
                   tile.ratios,      tile.exact_sums, next};
  alignas(64) float memory[kTilePairs * kColumnPairs * 4] = {};
  for (int64_t group = 0; group < groups; ++group) AddGroup<kPart, kHasMins>(at, memory);
  TileSums<kTilePairs> sums;
  for (int r = 0; r < kTilePairs; ++r) {
    const float32x4_t scale = vld1q_f32(tile.last_scales + kPairFloats * r);
    for (int j = 0; j < kColumnPairs; ++j) {
      sums.at[r][j] = vmulq_f32(vld1q_f32(memory + (r * kColumnPairs + j) * 4), scale);
    }
  }
  return sums;
}

}  // namespace
}  // namespace infer::simd::i8mm
