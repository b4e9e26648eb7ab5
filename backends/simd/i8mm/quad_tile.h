// SPDX-License-Identifier: Apache-2.0
//
// The product of three row pairs with two quads of a copy, the shape for many rows: the same
// operations as in quad_product.h in an order that keeps all four vector pipes busy.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/quad.h"
#include "backends/simd/i8mm/row_pairs.h"

namespace infer::simd::i8mm {
namespace {

// smmla needs 12 independent accumulators to reach 4 per cycle (8 reach 2.5), and the sums are as
// many again: v0 to v11 are the sums of the row pairs, v12 to v23 the accumulators, and the others
// hold operands, each loaded next to its use (ordered.h). Constants are loaded too: a move would
// take a slot of the vector pipes, and loads have slots to spare.
// clang-format off
#define QUAD_DOT(x, a, w) "smmla v" #x ".4s, v" #a ".16b, v" #w ".16b\n"
#define QUAD_STEP(i)                                                                           \
  "ldp q24, q25, [%[w], #(64*" #i ")]\n ldp q26, q27, [%[w], #(64*" #i "+32)]\n"               \
  "ldr q28, [%[x], #(16*" #i ")]\n ldr q29, [%[x], #(80+16*" #i ")]\n"                         \
  "ldr q30, [%[x], #(160+16*" #i ")]\n"                                                        \
  QUAD_DOT(12, 28, 24) QUAD_DOT(13, 28, 25) QUAD_DOT(14, 28, 26) QUAD_DOT(15, 28, 27)          \
  QUAD_DOT(16, 29, 24) QUAD_DOT(17, 29, 25) QUAD_DOT(18, 29, 26) QUAD_DOT(19, 29, 27)          \
  QUAD_DOT(20, 30, 24) QUAD_DOT(21, 30, 25) QUAD_DOT(22, 30, 26) QUAD_DOT(23, 30, 27)
#define QUAD_START(i) "ldr q" #i ", [%[magic]]\n"
#define QUAD_START12                                                                           \
  QUAD_START(12) QUAD_START(13) QUAD_START(14) QUAD_START(15) QUAD_START(16) QUAD_START(17)    \
  QUAD_START(18) QUAD_START(19) QUAD_START(20) QUAD_START(21) QUAD_START(22) QUAD_START(23)
// Columns 2 * j and 2 * j + 1, whose scales are at `at`, and times -kMagic 64 bytes later.
#define QUAD_SCALE(at, j, x0, x1, x2, s0, s1, s2)                                              \
  "ldr q24, [%[w], #(" #at "+16*" #j ")]\n ldr q25, [%[w], #(" #at "+64+16*" #j ")]\n"         \
  "ldr q26, [%[w], #(" #at "+64+16*" #j ")]\n ldr q27, [%[w], #(" #at "+64+16*" #j ")]\n"      \
  "fmla v25.4s, v" #x0 ".4s, v24.4s\n fmla v26.4s, v" #x1 ".4s, v24.4s\n"                      \
  "fmla v27.4s, v" #x2 ".4s, v24.4s\n fmla v" #s0 ".4s, v25.4s, v28.4s\n"                      \
  "fmla v" #s1 ".4s, v26.4s, v29.4s\n fmla v" #s2 ".4s, v27.4s, v30.4s\n"
#define QUAD_SCALES(at)                                                                        \
  "ldr q28, [%[x], #64]\n ldr q29, [%[x], #144]\n ldr q30, [%[x], #224]\n"                     \
  QUAD_SCALE(at, 0, 12, 16, 20, 0, 4, 8) QUAD_SCALE(at, 1, 13, 17, 21, 1, 5, 9)                \
  QUAD_SCALE(at, 2, 14, 18, 22, 2, 6, 10) QUAD_SCALE(at, 3, 15, 19, 23, 3, 7, 11)
// Minima at `at` times the sums of the rows, `sum` bytes into a pair's.
#define QUAD_MIN(at, j, s0, s1, s2)                                                            \
  "ldr q24, [%[w], #(" #at "+16*" #j ")]\n fmla v" #s0 ".4s, v24.4s, v28.4s\n"                 \
  "fmla v" #s1 ".4s, v24.4s, v29.4s\n fmla v" #s2 ".4s, v24.4s, v30.4s\n"
#define QUAD_MINS(at, sum)                                                                     \
  "ldr q28, [%[sums_x], #(" #sum ")]\n ldr q29, [%[sums_x], #(48+" #sum ")]\n"                 \
  "ldr q30, [%[sums_x], #(96+" #sum ")]\n"                                                     \
  QUAD_MIN(at, 0, 0, 4, 8) QUAD_MIN(at, 1, 1, 5, 9) QUAD_MIN(at, 2, 2, 6, 10)                  \
  QUAD_MIN(at, 3, 3, 7, 11)
#define QUAD_EVERY_SUM(op)                                                                     \
  op " q0, q1, [%[sums]]\n" op " q2, q3, [%[sums], #32]\n" op " q4, q5, [%[sums], #64]\n"      \
  op " q6, q7, [%[sums], #96]\n" op " q8, q9, [%[sums], #128]\n" op " q10, q11, [%[sums], #160]\n"
#define QUAD_TILE(CHUNK, bytes)                                                                \
  asm volatile(QUAD_EVERY_SUM("ldp") ".p2align 5\n 1:\n" CHUNK                                 \
      "add %[w], %[w], #" #bytes "\n add %[x], %[x], #240\n add %[sums_x], %[sums_x], #144\n"  \
      "subs %[left], %[left], #1\n b.ne 1b\n" QUAD_EVERY_SUM("stp")                            \
      : [w] "+r"(w), [x] "+r"(x), [sums_x] "+r"(x_sums), [left] "+r"(chunks)                   \
      : [sums] "r"(sums), [magic] "r"(magic)                                                   \
      : "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10",     \
        "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22",    \
        "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30")
#define QUAD_FIRST_HALF QUAD_START12 QUAD_STEP(0) QUAD_STEP(1)
#define QUAD_SECOND_HALF QUAD_START12 QUAD_STEP(2) QUAD_STEP(3)
#define QUAD_WHOLE QUAD_START12 QUAD_STEP(0) QUAD_STEP(1) QUAD_STEP(2) QUAD_STEP(3)
// clang-format on

static_assert(kTilePairs == 3 && kPairChunkBytes == 80 && kPairSumFloats == 12);

// Adds to `sums`, of row pairs and of the pairs of 8 columns, [3][4][4]. `w` is a copied chunk of
// two quads, and others follow.
template <QuadShape kShape>
inline void AddQuadTile(const std::byte* x, const float* x_sums, const std::byte* w, int64_t chunks,
                        float* sums) {
  alignas(16) static const float magic[4] = {kMagic, kMagic, kMagic, kMagic};
  static_assert(kShape.ChunkBytes() == 256 + 64 * kShape.groups * (1 + kShape.sets));
  if constexpr (kShape.groups == 1 && kShape.sets == 1) {
    QUAD_TILE(QUAD_WHOLE QUAD_SCALES(256), 384);
  } else if constexpr (kShape.groups == 1) {
    QUAD_TILE(QUAD_WHOLE QUAD_SCALES(256) QUAD_MINS(384, 0), 448);
  } else if constexpr (kShape.sets == 1) {
    QUAD_TILE(QUAD_FIRST_HALF QUAD_SCALES(256) QUAD_SECOND_HALF QUAD_SCALES(384), 512);
  } else {
    QUAD_TILE(QUAD_FIRST_HALF QUAD_SCALES(256) QUAD_MINS(384, 16) QUAD_SECOND_HALF QUAD_SCALES(448)
                  QUAD_MINS(576, 32),
              640);
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
