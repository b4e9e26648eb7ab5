// SPDX-License-Identifier: Apache-2.0
//
// The product of up to three row pairs with two quads of a stored panel of Q8_0 or Q4_0, for few
// rows: the same operations as in quad_product.h, in assembly as in quad_tile.h.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/quad.h"
#include "backends/simd/i8mm/row_pairs.h"

namespace infer::simd::i8mm {
namespace {

// v0 to v11 are the sums of the row pairs, v12 to v23 the accumulators. Column pairs come in the
// order of the panel: columns 0 and 1 of both quads, then columns 2 and 3 of both.
// clang-format off
#define STREAM_DOT(x, a, w) "smmla v" #x ".4s, v" #a ".16b, v" #w ".16b\n"
#define STREAM_PAIR(i, at, x0, x1, x2, x3)                                                     \
  "ldr q28, [%[x], #(" #at "+16*" #i ")]\n"                                                    \
  STREAM_DOT(x0, 28, 24) STREAM_DOT(x1, 28, 25) STREAM_DOT(x2, 28, 26) STREAM_DOT(x3, 28, 27)
#define STREAM_ROWS1(i) STREAM_PAIR(i, 0, 12, 13, 14, 15)
#define STREAM_ROWS2(i) STREAM_ROWS1(i) STREAM_PAIR(i, 80, 16, 17, 18, 19)
#define STREAM_ROWS3(i) STREAM_ROWS2(i) STREAM_PAIR(i, 160, 20, 21, 22, 23)
// 8 elements of 8 columns.
#define STREAM_BYTES(i)                                                                        \
  "ldp q24, q25, [%[w], #(128*" #i ")]\n ldp q26, q27, [%[w], #(128*" #i "+64)]\n"
// The numbers minus 8 are in two's complement, and become 16 times too large.
#define STREAM_NIBBLES(i)                                                                      \
  "ldp q26, q27, [%[w], #(64*" #i ")]\n ldr q28, [%[high]]\n"                                  \
  "shl v24.16b, v26.16b, #4\n shl v25.16b, v27.16b, #4\n"                                      \
  "and v26.16b, v26.16b, v28.16b\n and v27.16b, v27.16b, v28.16b\n"
#define STREAM_STEPS(WEIGHTS, ROWS)                                                            \
  WEIGHTS(0) ROWS(0) WEIGHTS(1) ROWS(1) WEIGHTS(2) ROWS(2) WEIGHTS(3) ROWS(3)
#define STREAM_START4(a, b, c, d)                                                              \
  "ldr q" #a ", [%[magic]]\n ldr q" #b ", [%[magic]]\n"                                        \
  "ldr q" #c ", [%[magic]]\n ldr q" #d ", [%[magic]]\n"
#define STREAM_START1 STREAM_START4(12, 13, 14, 15)
#define STREAM_START2 STREAM_START1 STREAM_START4(16, 17, 18, 19)
#define STREAM_START3 STREAM_START2 STREAM_START4(20, 21, 22, 23)
// v24 to v27: the scales of the column pairs.
#define STREAM_SCALES                                                                          \
  "ldr q29, [%[scales]]\n ldr q30, [%[back]]\n"                                                \
  "fcvtl v28.4s, v29.4h\n fcvtl2 v29.4s, v29.8h\n"
#define STREAM_TWICE                                                                           \
  "dup v24.2d, v28.d[0]\n dup v25.2d, v29.d[0]\n"                                              \
  "dup v26.2d, v28.d[1]\n dup v27.2d, v29.d[1]\n"
#define STREAM_SIXTEENTH                                                                       \
  "ldr q31, [%[sixteenth]]\n fmul v28.4s, v28.4s, v31.4s\n fmul v29.4s, v29.4s, v31.4s\n"
#define STREAM_WHOLE
// kMagic times the scale is taken away, and the sum scaled, by one fma.
#define STREAM_ADD(t, scale, x, sum)                                                           \
  "fmul v" #t ".4s, v" #scale ".4s, v30.4s\n fmla v" #t ".4s, v" #x ".4s, v" #scale ".4s\n"    \
  "fmla v" #sum ".4s, v" #t ".4s, v31.4s\n"
#define STREAM_SUM(at, x0, x1, x2, x3, s0, s1, s2, s3)                                         \
  "ldr q31, [%[x], #(" #at "+64)]\n" STREAM_ADD(28, 24, x0, s0) STREAM_ADD(29, 25, x1, s1)     \
  STREAM_ADD(28, 26, x2, s2) STREAM_ADD(29, 27, x3, s3)
// One row: columns side by side need half of the operations.
#define STREAM_ADD4(t, scale, x, sum)                                                          \
  "fmul v" #t ".4s, v" #scale ".4s, v30.4s\n fmla v" #t ".4s, v" #x ".4s, v" #scale ".4s\n"    \
  "fmla v" #sum ".4s, v" #t ".4s, v31.s[0]\n"
#define STREAM_FINISH_ROW(UNIT)                                                                \
  STREAM_SCALES UNIT "zip1 v12.2d, v12.2d, v14.2d\n zip1 v13.2d, v13.2d, v15.2d\n"             \
  "ldr q31, [%[x], #64]\n" STREAM_ADD4(24, 28, 12, 0) STREAM_ADD4(25, 29, 13, 1)
#define STREAM_SUMS1 STREAM_SUM(0, 12, 13, 14, 15, 0, 1, 2, 3)
#define STREAM_SUMS2 STREAM_SUMS1 STREAM_SUM(80, 16, 17, 18, 19, 4, 5, 6, 7)
#define STREAM_SUMS3 STREAM_SUMS2 STREAM_SUM(160, 20, 21, 22, 23, 8, 9, 10, 11)
#define STREAM_FINISH1(UNIT) STREAM_SCALES UNIT STREAM_TWICE STREAM_SUMS1
#define STREAM_FINISH2(UNIT) STREAM_SCALES UNIT STREAM_TWICE STREAM_SUMS2
#define STREAM_FINISH3(UNIT) STREAM_SCALES UNIT STREAM_TWICE STREAM_SUMS3
#define STREAM_EVERY_ROW(op) op " q0, q1, [%[sums]]\n"
#define STREAM_EVERY1(op) op " q0, q1, [%[sums]]\n" op " q2, q3, [%[sums], #32]\n"
#define STREAM_EVERY2(op)                                                                      \
  STREAM_EVERY1(op) op " q4, q5, [%[sums], #64]\n" op " q6, q7, [%[sums], #96]\n"
#define STREAM_EVERY3(op)                                                                      \
  STREAM_EVERY2(op) op " q8, q9, [%[sums], #128]\n" op " q10, q11, [%[sums], #160]\n"
#define STREAM_FETCH4                                                                          \
  "prfm pldl2keep, [%[next]]\n prfm pldl2keep, [%[next], #64]\n"                               \
  "prfm pldl2keep, [%[next], #128]\n prfm pldl2keep, [%[next], #192]\n"                        \
  "add %[next], %[next], #256\n"
#define STREAM_FETCH2                                                                          \
  "prfm pldl2keep, [%[next]]\n prfm pldl2keep, [%[next], #64]\n add %[next], %[next], #128\n"
#define STREAM(WEIGHTS, UNIT, FETCH, n, FINISH, EVERY, chunk_bytes)                            \
  asm volatile(EVERY("ldp") ".p2align 5\n 1:\n" FETCH STREAM_START##n                          \
      STREAM_STEPS(WEIGHTS, STREAM_ROWS##n) FINISH(UNIT)                                       \
      "add %[w], %[w], #" #chunk_bytes "\n add %[scales], %[scales], #64\n"                    \
      "add %[x], %[x], %[stride]\n subs %[left], %[left], #1\n b.ne 1b\n"                   \
      EVERY("stp")                                                                             \
      : [w] "+r"(at.weights), [scales] "+r"(at.scales), [x] "+r"(at.rows),                     \
        [next] "+r"(at.next), [left] "+r"(chunks)                                              \
      : [sums] "r"(sums), [magic] "r"(kStreamConstants.magic),                                 \
        [back] "r"(kStreamConstants.back), [high] "r"(kStreamConstants.high),                  \
        [sixteenth] "r"(kStreamConstants.sixteenth), [stride] "r"(at.stride)                                            \
      : "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10",     \
        "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22",    \
        "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31")
// clang-format on

constexpr struct {
  alignas(16) float magic[4];
  alignas(16) float back[4];
  alignas(16) uint32_t high[4];
  alignas(16) float sixteenth[4];
} kStreamConstants = {{kMagic, kMagic, kMagic, kMagic},
                      {-kMagic, -kMagic, -kMagic, -kMagic},
                      {0xf0f0f0f0, 0xf0f0f0f0, 0xf0f0f0f0, 0xf0f0f0f0},
                      {0x1p-4f, 0x1p-4f, 0x1p-4f, 0x1p-4f}};

// Formats that this file has products for.
template <PanelFormat kFormat>
constexpr bool kStreamsQuads =
    kFormat.scales == PanelScales::kHalf && kFormat.group == kChunkElements && !kFormat.has_min &&
    (kIsSignedNibbles<kFormat> || (kFormat.low_bits == 8 && kFormat.is_signed));

struct StreamPlace {
  const std::byte* weights;  // of two quads in the first chunk
  const std::byte* scales;   // f16 of their 8 columns
  const std::byte* rows;
  int64_t stride;         // bytes from the rows of one chunk to those of the next
  const std::byte* next;  // weights to be fetched meanwhile, a quarter of the chunks' bytes
};

// clang-format off
#define STREAM_Q8_0(n, FINISH, EVERY) \
  STREAM(STREAM_BYTES, STREAM_WHOLE, STREAM_FETCH4, n, FINISH, EVERY, 1024)
#define STREAM_Q4_0(n, FINISH, EVERY) \
  STREAM(STREAM_NIBBLES, STREAM_SIXTEENTH, STREAM_FETCH2, n, FINISH, EVERY, 512)
// clang-format on

// Adds to `sums`: of one row [8 columns], else [pairs][4 column pairs][4].
template <PanelFormat kFormat, int kRows>
inline void AddQuadStream(StreamPlace at, int64_t chunks, float* sums) {
  static_assert(kStreamsQuads<kFormat> && kPairChunkBytes == 80);
  if constexpr (kFormat.low_bits == 8) {
    static_assert(kFormat.ChunkBytes() == 1024);
    if constexpr (kRows == 1) STREAM_Q8_0(1, STREAM_FINISH_ROW, STREAM_EVERY_ROW);
    if constexpr (kRows == 2) STREAM_Q8_0(1, STREAM_FINISH1, STREAM_EVERY1);
    if constexpr (kRows == 4) STREAM_Q8_0(2, STREAM_FINISH2, STREAM_EVERY2);
    if constexpr (kRows == 6) STREAM_Q8_0(3, STREAM_FINISH3, STREAM_EVERY3);
  } else {
    static_assert(kFormat.ChunkBytes() == 512);
    if constexpr (kRows == 1) STREAM_Q4_0(1, STREAM_FINISH_ROW, STREAM_EVERY_ROW);
    if constexpr (kRows == 2) STREAM_Q4_0(1, STREAM_FINISH1, STREAM_EVERY1);
    if constexpr (kRows == 4) STREAM_Q4_0(2, STREAM_FINISH2, STREAM_EVERY2);
    if constexpr (kRows == 6) STREAM_Q4_0(3, STREAM_FINISH3, STREAM_EVERY3);
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
