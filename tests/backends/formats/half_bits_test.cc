// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/half_bits.h"

#include "gtest/gtest.h"
#include "runtime/half.h"

namespace infer::formats {
namespace {

TEST(HalfBits, LowByteComesFirst) {
  EXPECT_EQ((HalfBits{0x34, 0x12}.bits()), 0x1234);
  EXPECT_EQ((HalfBits{0xff, 0xfe}.bits()), 0xfeff);
}

TEST(HalfBits, EveryHalfIsWidenedAsTheReferenceDoes) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const uint16_t half = static_cast<uint16_t>(bits);
    ASSERT_EQ(std::bit_cast<uint32_t>(WidenHalf(half)), std::bit_cast<uint32_t>(F16ToF32(half)))
        << half;
  }
}

}  // namespace
}  // namespace infer::formats
