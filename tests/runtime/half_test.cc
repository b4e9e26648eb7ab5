// SPDX-License-Identifier: Apache-2.0
#include "runtime/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace infer {
namespace {

static_assert(F16ToF32(0x3c00) == 1.0f);
static_assert(F32ToF16(-2.0f) == 0xc000);
static_assert(BF16ToF32(0x3f80) == 1.0f);
static_assert(F32ToBF16(-2.0f) == 0xc000);

constexpr float kInfiniteHalf = std::numeric_limits<float>::infinity();

bool IsNanPattern(uint16_t half) { return (half & 0x7fff) > 0x7c00; }

// Checks `value` and its two neighbours on either side, where rounding goes wrong if it does.
template <class Check>
void Around(float value, Check check) {
  float below = value;
  float above = value;
  check(value);
  for (int i = 0; i < 2; ++i) {
    below = std::nextafter(below, -kInfiniteHalf);
    above = std::nextafter(above, kInfiniteHalf);
    check(below);
    check(above);
  }
}

TEST(Half, KnowsTheEdgesOfTheFormat) {
  EXPECT_EQ(F16ToF32(0x7bff), 65504.0f);
  EXPECT_EQ(F16ToF32(0x0400), 0x1p-14f);
  EXPECT_EQ(F16ToF32(0x0001), 0x1p-24f);
  EXPECT_EQ(F16ToF32(0x03ff), 0x1.ff8p-15f);
  EXPECT_EQ(F16ToF32(0xfc00), -kInfiniteHalf);
  EXPECT_EQ(std::bit_cast<uint32_t>(F16ToF32(0x8000)), 0x80000000u);
  EXPECT_EQ(F32ToF16(65519.996f), 0x7bff);
  EXPECT_EQ(F32ToF16(65520.0f), 0x7c00);
  EXPECT_EQ(F32ToF16(-kInfiniteHalf), 0xfc00);
  EXPECT_EQ(F32ToF16(0x1p-25f), 0x0000);
  EXPECT_EQ(F32ToF16(0x1.000002p-25f), 0x0001);
  EXPECT_EQ(F32ToF16(-0.0f), 0x8000);
  EXPECT_EQ(F32ToF16(std::numeric_limits<float>::denorm_min()), 0x0000);
}

TEST(Half, EveryPatternComesBack) {
  for (uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
    const uint16_t half = static_cast<uint16_t>(pattern);
    const uint16_t expected = IsNanPattern(half) ? (half | 0x200) : half;
    ASSERT_EQ(F32ToF16(F16ToF32(half)), expected) << std::hex << pattern;
  }
}

TEST(Half, NanStaysNanWithItsSign) {
  EXPECT_EQ(F32ToF16(std::bit_cast<float>(0x7f800001u)), 0x7e00);
  EXPECT_EQ(F32ToF16(std::bit_cast<float>(0xffc00000u)), 0xfe00);
  EXPECT_EQ(F32ToBF16(std::bit_cast<float>(0x7f800001u)), 0x7fc0);
  EXPECT_EQ(F32ToBF16(std::bit_cast<float>(0xff800001u)), 0xffc0);
}

#if defined(__aarch64__) || defined(__FLT16_MANT_DIG__)

#ifdef __aarch64__
using CompilerHalf = __fp16;  // g++ 12 has no _Float16 in C++ here
#else
__extension__ using CompilerHalf = _Float16;
#endif

uint16_t CompilerF32ToF16(float value) {
  return std::bit_cast<uint16_t>(static_cast<CompilerHalf>(value));
}

TEST(Half, EveryPatternWidensAsInTheCompiler) {
  for (uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
    const uint16_t half = static_cast<uint16_t>(pattern);
    const float expected = static_cast<float>(std::bit_cast<CompilerHalf>(half));
    const float found = F16ToF32(half);
    if (IsNanPattern(half)) {
      ASSERT_TRUE(std::isnan(found) && std::isnan(expected)) << std::hex << pattern;
      ASSERT_EQ(std::signbit(found), std::signbit(expected)) << std::hex << pattern;
    } else {
      ASSERT_EQ(std::bit_cast<uint32_t>(found), std::bit_cast<uint32_t>(expected))
          << std::hex << pattern;
    }
  }
}

TEST(Half, EveryHalfAndEveryTieNarrowsAsInTheCompiler) {
  for (uint32_t pattern = 0; pattern < 0x7c00; ++pattern) {
    const float value = F16ToF32(static_cast<uint16_t>(pattern));
    const float next = pattern == 0x7bff ? 65536.0f : F16ToF32(static_cast<uint16_t>(pattern + 1));
    const float tie = value + (next - value) / 2;
    for (const float center : {value, tie, -value, -tie}) {
      Around(center, [](float x) { ASSERT_EQ(F32ToF16(x), CompilerF32ToF16(x)) << x; });
    }
  }
}

TEST(Half, FloatsOfEveryExponentNarrowAsInTheCompiler) {
  // 4093 is prime: steps through all exponents with changing mantissas, a million floats.
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 4093) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(F32ToF16(value), CompilerF32ToF16(value)) << value;
  }
}

#endif

TEST(Bfloat16, EveryPatternWidensToItsUpperHalfAndComesBack) {
  for (uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
    const uint16_t bf16 = static_cast<uint16_t>(pattern);
    const float wide = BF16ToF32(bf16);
    ASSERT_EQ(std::bit_cast<uint32_t>(wide), pattern << 16);
    const uint16_t expected = std::isnan(wide) ? (bf16 | 0x40) : bf16;
    ASSERT_EQ(F32ToBF16(wide), expected) << std::hex << pattern;
  }
}

TEST(Bfloat16, RoundsToTheNearestAndTiesToEven) {
  // Doubles hold every float and every half way point exactly, so distance decides.
  for (uint32_t pattern = 0; pattern < 0x7f80; ++pattern) {
    const float low = BF16ToF32(static_cast<uint16_t>(pattern));
    const double high = pattern == 0x7f7f ? 0x1p128 : BF16ToF32(static_cast<uint16_t>(pattern + 1));
    const float tie = std::bit_cast<float>((pattern << 16) | 0x8000u);
    Around(tie, [&](float x) {
      const double down = x - static_cast<double>(low);
      const double up = high - x;
      const bool goes_up = up < down || (up == down && (pattern & 1) != 0);
      ASSERT_EQ(F32ToBF16(x), pattern + (goes_up ? 1 : 0)) << x;
    });
  }
  EXPECT_EQ(F32ToBF16(std::numeric_limits<float>::max()), 0x7f80);
}

}  // namespace
}  // namespace infer
