// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/instruction_loops.h"

#include "backends/simd/isa/cpu_features.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

namespace infer {
namespace {

using Kind = InstructionPeak::Kind;

// Four pipes with a latency of four cycles need 16 independent sums; 20 still leave registers for
// the operands.
constexpr int kSums = 20;

// Makes a value look changed and used: otherwise the compiler drops the loop, or computes sums that
// it knows to be equal only once.
#define INFER_KEEP(register_class, value) asm volatile("" : "+" register_class(value))

#if defined(__aarch64__)

#define INFER_LOOP(function, features, sum_type, operand_type, step)                              \
  __attribute__((target(features))) void function(int64_t rounds) {                               \
    sum_type sums[kSums] = {};                                                                    \
    operand_type a = {}, b = {};                                                                  \
    INFER_KEEP("w", a);                                                                           \
    INFER_KEEP("w", b);                                                                           \
    _Pragma("GCC unroll 20") for (int i = 0; i < kSums; ++i) INFER_KEEP("w", sums[i]);            \
    for (int64_t round = 0; round < rounds; ++round) {                                            \
      _Pragma("GCC unroll 20") for (int i = 0; i < kSums; ++i) { sums[i] = step(sums[i], a, b); } \
    }                                                                                             \
    _Pragma("GCC unroll 20") for (int i = 0; i < kSums; ++i) INFER_KEEP("w", sums[i]);            \
  }

INFER_LOOP(FmlaF32, "arch=armv8-a", float32x4_t, float32x4_t, vfmaq_f32)
INFER_LOOP(FmlaF16, "arch=armv8.2-a+fp16", float16x8_t, float16x8_t, vfmaq_f16)
INFER_LOOP(Sdot, "arch=armv8.2-a+dotprod", int32x4_t, int8x16_t, vdotq_s32)
INFER_LOOP(Smmla, "arch=armv8.2-a+i8mm", int32x4_t, int8x16_t, vmmlaq_s32)
INFER_LOOP(Bfmmla, "arch=armv8.2-a+bf16", float32x4_t, bfloat16x8_t, vbfmmlaq_f32)

constexpr InstructionLoop kLoops[] = {
    {"fmla f32", Kind::kF32, [] { return true; }, 8.0 * kSums, FmlaF32},
    {"fmla f16", Kind::kF16, [] { return simd::HostCpuFeatures().fp16; }, 16.0 * kSums, FmlaF16},
    {"bfmmla", Kind::kBf16, [] { return simd::HostCpuFeatures().bf16; }, 32.0 * kSums, Bfmmla},
    {"sdot", Kind::kInt8, [] { return simd::HostCpuFeatures().dotprod; }, 32.0 * kSums, Sdot},
    {"smmla", Kind::kInt8, [] { return simd::HostCpuFeatures().i8mm; }, 64.0 * kSums, Smmla},
};

#elif defined(__x86_64__)

#define INFER_LOOP(function, features, count, sum_type, operand_type, step)            \
  __attribute__((target(features))) void function(int64_t rounds) {                    \
    sum_type sums[count] = {};                                                         \
    operand_type a = {}, b = {};                                                       \
    INFER_KEEP("x", a);                                                                \
    INFER_KEEP("x", b);                                                                \
    _Pragma("GCC unroll 20") for (int i = 0; i < count; ++i) INFER_KEEP("x", sums[i]); \
    for (int64_t round = 0; round < rounds; ++round) {                                 \
      _Pragma("GCC unroll 20") for (int i = 0; i < count; ++i) { sums[i] = step; }     \
    }                                                                                  \
    _Pragma("GCC unroll 20") for (int i = 0; i < count; ++i) INFER_KEEP("x", sums[i]); \
  }

#define INFER_LOOP_512(function, features, sum_type, operand_type, step)                          \
  __attribute__((target(features))) void function(int64_t rounds) {                               \
    sum_type sums[kSums] = {};                                                                    \
    operand_type a = {}, b = {};                                                                  \
    INFER_KEEP("v", a);                                                                           \
    INFER_KEEP("v", b);                                                                           \
    _Pragma("GCC unroll 20") for (int i = 0; i < kSums; ++i) INFER_KEEP("v", sums[i]);            \
    for (int64_t round = 0; round < rounds; ++round) {                                            \
      _Pragma("GCC unroll 20") for (int i = 0; i < kSums; ++i) { sums[i] = step(sums[i], a, b); } \
    }                                                                                             \
    _Pragma("GCC unroll 20") for (int i = 0; i < kSums; ++i) INFER_KEEP("v", sums[i]);            \
  }

// Of sixteen registers, 12 hold sums and two hold operands. AVX2's int8 product is maddubs with its
// widening.
constexpr int kSums256 = 12;
INFER_LOOP(Fma256, "avx2,fma", kSums256, __m256, __m256, _mm256_fmadd_ps(a, b, sums[i]))
INFER_LOOP(Maddubs, "avx2", kSums256, __m256i, __m256i,
           _mm256_add_epi16(sums[i], _mm256_maddubs_epi16(a, sums[i])))
#define INFER_FMADD_512(sum, a, b) _mm512_fmadd_ps(a, b, sum)
INFER_LOOP_512(Fma512, "avx512f", __m512, __m512, INFER_FMADD_512)
INFER_LOOP_512(Vpdpbusd, "avx512f,avx512vnni", __m512i, __m512i, _mm512_dpbusd_epi32)

constexpr InstructionLoop kLoops[] = {
    {"fma ymm", Kind::kF32,
     [] { return simd::HostCpuFeatures().avx2 && simd::HostCpuFeatures().fma; }, 16.0 * kSums256,
     Fma256},
    {"vpmaddubsw ymm", Kind::kInt8, [] { return simd::HostCpuFeatures().avx2; }, 64.0 * kSums256,
     Maddubs},
    {"fma zmm", Kind::kF32, [] { return simd::HostCpuFeatures().avx512; }, 32.0 * kSums, Fma512},
    {"vpdpbusd zmm", Kind::kInt8, [] { return simd::HostCpuFeatures().avx512_vnni; }, 128.0 * kSums,
     Vpdpbusd},
};

#endif

#undef INFER_LOOP
#undef INFER_KEEP

}  // namespace

std::span<const InstructionLoop> InstructionLoops() {
#if defined(__aarch64__) || defined(__x86_64__)
  return kLoops;
#else
  return {};
#endif
}

}  // namespace infer
