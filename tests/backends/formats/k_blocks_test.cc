// SPDX-License-Identifier: Apache-2.0
//
// Each field is set alone and must reach the elements that the layout gives it to, and no other.
#include "backends/formats/k_blocks.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"

namespace infer::formats {
namespace {

constexpr HalfBits kOne = {0x00, 0x3c};
constexpr HalfBits kTwo = {0x00, 0x40};

// The quants of a block that is zero but for one bit.
template <class Block, size_t n>
std::vector<int> QuantsWithBit(uint8_t (Block::*field)[n], int byte, int bit) {
  Block block = {};
  (block.*field)[byte] = static_cast<uint8_t>(1 << bit);
  int8_t quants[256];
  UnpackQuants(block, quants);
  return {quants, quants + 256};
}

// All `rest`, but one element `value`.
std::vector<int> AllBut(int rest, int element, int value) {
  std::vector<int> quants(256, rest);
  quants[element] = value;
  return quants;
}

TEST(KBlocks, TwoBitQuantsLieInPlanesOf32) {
  for (int byte = 0; byte < 64; ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      const int element = byte / 32 * 128 + bit / 2 * 32 + byte % 32;
      const int worth = 1 << bit % 2;
      EXPECT_EQ(QuantsWithBit(&BlockQ2_K::quants, byte, bit), AllBut(0, element, worth));
      EXPECT_EQ(QuantsWithBit(&BlockQ3_K::quants, byte, bit), AllBut(-4, element, worth - 4));
    }
  }
}

TEST(KBlocks, FourBitQuantsLieInPlanesOf32) {
  for (int byte = 0; byte < 128; ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      const int element = byte / 32 * 64 + bit / 4 * 32 + byte % 32;
      const int worth = 1 << bit % 4;
      EXPECT_EQ(QuantsWithBit(&BlockQ4_K::quants, byte, bit), AllBut(0, element, worth));
      EXPECT_EQ(QuantsWithBit(&BlockQ5_K::quants, byte, bit), AllBut(0, element, worth));
    }
  }
}

TEST(KBlocks, TheTopBitOfElementIIsBitIOver32) {
  for (int byte = 0; byte < 32; ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      const int element = 32 * bit + byte;
      EXPECT_EQ(QuantsWithBit(&BlockQ3_K::high, byte, bit), AllBut(-4, element, 0));
      EXPECT_EQ(QuantsWithBit(&BlockQ5_K::high, byte, bit), AllBut(0, element, 16));
    }
  }
}

TEST(KBlocks, Q6_KSplitsFourAndTwoBits) {
  for (int byte = 0; byte < 128; ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      const int element = byte / 64 * 128 + bit / 4 * 64 + byte % 64;
      EXPECT_EQ(QuantsWithBit(&BlockQ6_K::quants, byte, bit),
                AllBut(-32, element, (1 << bit % 4) - 32));
    }
  }
  for (int byte = 0; byte < 64; ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      const int element = byte / 32 * 128 + bit / 2 * 32 + byte % 32;
      EXPECT_EQ(QuantsWithBit(&BlockQ6_K::high, byte, bit),
                AllBut(-32, element, (16 << bit % 2) - 32));
    }
  }
}

TEST(KBlocks, Q3_KScalesTakeFourAndTwoBits) {
  for (int byte = 0; byte < 12; ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      BlockQ3_K block = {};
      block.scales[byte] = static_cast<uint8_t>(1 << bit);
      int8_t scales[16];
      UnpackScales(block, scales);
      const int changed = byte < 8 ? byte + bit / 4 * 8 : byte - 8 + bit / 2 * 4;
      const int worth = byte < 8 ? 1 << bit % 4 : 16 << bit % 2;
      for (int i = 0; i < 16; ++i) EXPECT_EQ(scales[i], (i == changed ? worth : 0) - 32);
    }
  }
}

// The packing written the other way round: numbers in, bytes out.
void PackScalesAndMins(const uint8_t* scales, const uint8_t* mins, uint8_t* packed) {
  for (int i = 0; i < 4; ++i) {
    packed[i] = static_cast<uint8_t>(scales[i] + (scales[i + 4] / 16) * 64);
    packed[i + 4] = static_cast<uint8_t>(mins[i] + (mins[i + 4] / 16) * 64);
    packed[i + 8] = static_cast<uint8_t>(scales[i + 4] % 16 + (mins[i + 4] % 16) * 16);
  }
}

TEST(KBlocks, ScalesAndMinsOfSixBitsComeBack) {
  for (int value = 0; value < 64; ++value) {
    uint8_t scales[8];
    uint8_t mins[8];
    for (int i = 0; i < 8; ++i) {
      scales[i] = static_cast<uint8_t>((value + 9 * i) % 64);
      mins[i] = static_cast<uint8_t>((5 * value + 23 * i + 1) % 64);
    }
    uint8_t packed[12];
    PackScalesAndMins(scales, mins, packed);
    uint8_t found_scales[8];
    uint8_t found_mins[8];
    UnpackScalesAndMins(packed, found_scales, found_mins);
    EXPECT_TRUE(std::ranges::equal(scales, found_scales)) << value;
    EXPECT_TRUE(std::ranges::equal(mins, found_mins)) << value;
  }
}

TEST(KBlocks, GroupsHaveScalesAndMinsOfTheirOwn) {
  BlockQ2_K q2 = {};
  q2.scale = kOne;
  q2.min = kTwo;
  for (int i = 0; i < 16; ++i) q2.scales_and_mins[i] = static_cast<uint8_t>(i | (15 - i) << 4);
  std::memset(q2.quants, 0xff, sizeof(q2.quants));
  float out[256];
  Dequantize(q2, out);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(out[i], 3.0f * (i / 16) - 2.0f * (15 - i / 16)) << i;

  const uint8_t scales[] = {0, 9, 18, 27, 36, 45, 54, 63};
  const uint8_t mins[] = {63, 1, 50, 3, 40, 5, 30, 7};
  BlockQ5_K q5 = {};
  q5.scale = kOne;
  q5.min = kTwo;
  PackScalesAndMins(scales, mins, q5.scales_and_mins);
  std::memset(q5.high, 0xff, sizeof(q5.high));
  Dequantize(q5, out);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(out[i], 16.0f * scales[i / 32] - 2.0f * mins[i / 32]);
}

TEST(KBlocks, SignedScalesTurnTheSign) {
  BlockQ6_K block = {};  // every quant is -32
  block.scale = kTwo;
  for (int i = 0; i < 16; ++i) block.scales[i] = static_cast<int8_t>(-128 + 17 * i);
  float out[256];
  Dequantize(block, out);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(out[i], -64.0f * (-128 + 17 * (i / 16))) << i;
}

}  // namespace
}  // namespace infer::formats
