// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/table_blocks.h"

#include <cmath>

#include "gtest/gtest.h"

namespace infer::formats {
namespace {

constexpr HalfBits kOneHalf = {0x00, 0x38};  // 0.5

// Byte i holds index i for element i and 15 - i for element i + 16.
void FillIndices(uint8_t* indices) {
  for (int i = 0; i < 16; ++i) indices[i] = static_cast<uint8_t>(i | (15 - i) << 4);
}

int IndexOf(int element) { return element < 16 ? element : 31 - element; }

TEST(TableBlocks, Iq4NlLooksUpBothHalves) {
  BlockIQ4_NL block = {};
  block.scale = kOneHalf;
  FillIndices(block.indices);
  float out[32];
  Dequantize(block, out);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], 0.5f * kIq4Values[IndexOf(i)]) << i;
}

TEST(TableBlocks, Iq4XsScalesTakeFourAndTwoBits) {
  for (int changed = 0; changed < 8; ++changed) {
    for (int bit = 0; bit < 6; ++bit) {
      BlockIQ4_XS block = {};
      if (bit < 4) {
        block.scales_low[changed / 2] = static_cast<uint8_t>(1 << (changed % 2 * 4 + bit));
      } else {
        block.scales_high[changed / 4] = static_cast<uint8_t>(1 << (changed % 4 * 2 + bit - 4));
      }
      int8_t scales[8];
      UnpackScales(block, scales);
      for (int i = 0; i < 8; ++i) EXPECT_EQ(scales[i], (i == changed ? 1 << bit : 0) - 32);
    }
  }
}

TEST(TableBlocks, Iq4XsGroupsFollowEachOther) {
  BlockIQ4_XS block = {};
  block.scale = kOneHalf;
  for (int group = 0; group < 8; ++group) FillIndices(block.indices + 16 * group);
  block.scales_low[1] = 0xf0;   // group 3: low bits 15
  block.scales_high[0] = 0xc0;  // and high bits 3: 63 - 32
  float out[256];
  Dequantize(block, out);
  for (int i = 0; i < 256; ++i) {
    const float scale = 0.5f * (i / 32 == 3 ? 31 : -32);
    EXPECT_EQ(out[i], scale * kIq4Values[IndexOf(i % 32)]) << i;
  }
}

TEST(TableBlocks, Mxfp4WritesTheNumbersOfE2M1) {
  BlockMXFP4 block = {};
  block.exponent = 127;
  FillIndices(block.indices);
  float out[32];
  Dequantize(block, out);
  const float positive[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (int i = 0; i < 32; ++i) {
    const int index = IndexOf(i);
    EXPECT_EQ(out[i], index < 8 ? positive[index] : -positive[index - 8]) << i;
    if (out[i] == 0) {
      EXPECT_FALSE(std::signbit(out[i])) << i;
    }
  }
}

TEST(TableBlocks, Mxfp4ScaleIsAPowerOfTwoAtEveryExponent) {
  for (int exponent = 0; exponent < 256; ++exponent) {
    EXPECT_EQ(Mxfp4Scale(static_cast<uint8_t>(exponent)), std::ldexp(1.0f, exponent - 128))
        << exponent;
  }
}

}  // namespace
}  // namespace infer::formats
