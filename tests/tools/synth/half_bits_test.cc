// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/half_bits.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace infer {
namespace {

float FromHalf(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const int mantissa = static_cast<int>(bits & 1023);
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                        : std::ldexp(1024.0f + mantissa, exponent - 25);
  return bits & 0x8000u ? -magnitude : magnitude;
}

TEST(HalfBits, EveryFiniteHalfComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7c00u) == 0x7c00u) continue;
    ASSERT_EQ(HalfBits(FromHalf(bits)), bits);
  }
}

TEST(HalfBits, HalfwayRoundsToEvenAndBesideItToTheNearer) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const float middle = (FromHalf(bits) + FromHalf(bits + 1)) / 2;
    ASSERT_EQ(HalfBits(middle), bits + (bits & 1)) << bits;
    ASSERT_EQ(HalfBits(std::nextafter(middle, 0.0f)), bits) << bits;
    ASSERT_EQ(HalfBits(std::nextafter(middle, 1e9f)), bits + 1) << bits;
  }
}

TEST(HalfBits, TooLargeIsInfinity) {
  EXPECT_EQ(HalfBits(65519.0f), 0x7bffu);
  EXPECT_EQ(HalfBits(65520.0f), 0x7c00u);
  EXPECT_EQ(HalfBits(-1e30f), 0xfc00u);
}

TEST(Bfloat16Bits, RoundsToNearestEven) {
  EXPECT_EQ(Bfloat16Bits(1.0f), 0x3f80u);
  EXPECT_EQ(Bfloat16Bits(std::bit_cast<float>(0x3f808000u)), 0x3f80u);
  EXPECT_EQ(Bfloat16Bits(std::bit_cast<float>(0x3f808001u)), 0x3f81u);
  EXPECT_EQ(Bfloat16Bits(std::bit_cast<float>(0x3f818000u)), 0x3f82u);
}

}  // namespace
}  // namespace infer
