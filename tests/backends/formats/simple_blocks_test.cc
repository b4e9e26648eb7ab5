// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/simple_blocks.h"

#include <cmath>

#include "gtest/gtest.h"

namespace infer::formats {
namespace {

constexpr HalfBits kHalf = {0x00, 0x38};    // 0.5
constexpr HalfBits kMinus3 = {0x00, 0xc2};  // -3

// Byte i holds i for element i and 15 - i for element i + 16.
template <class Block>
Block CountingBlock() {
  Block block = {};
  block.scale = kHalf;
  for (int i = 0; i < 16; ++i) block.quants[i] = static_cast<uint8_t>(i | (15 - i) << 4);
  return block;
}

int CountingQuant(int i) { return i < 16 ? i : 31 - i; }

TEST(SimpleBlocks, Q4_0CountsFromMinus8) {
  float out[32];
  Dequantize(CountingBlock<BlockQ4_0>(), out);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], 0.5f * (CountingQuant(i) - 8)) << i;
}

TEST(SimpleBlocks, Q4_1AddsTheMin) {
  BlockQ4_1 block = CountingBlock<BlockQ4_1>();
  block.min = kMinus3;
  float out[32];
  Dequantize(block, out);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], 0.5f * CountingQuant(i) - 3) << i;
}

TEST(SimpleBlocks, EachFifthBitBelongsToItsElement) {
  for (int set = 0; set < 32; ++set) {
    BlockQ5_0 q5_0 = CountingBlock<BlockQ5_0>();
    BlockQ5_1 q5_1 = CountingBlock<BlockQ5_1>();
    q5_1.min = kMinus3;
    q5_0.high[set / 8] = q5_1.high[set / 8] = static_cast<uint8_t>(1 << set % 8);
    float out_0[32];
    float out_1[32];
    Dequantize(q5_0, out_0);
    Dequantize(q5_1, out_1);
    for (int i = 0; i < 32; ++i) {
      const int quant = CountingQuant(i) + (i == set ? 16 : 0);
      EXPECT_EQ(out_0[i], 0.5f * (quant - 16)) << set << " " << i;
      EXPECT_EQ(out_1[i], 0.5f * quant - 3) << set << " " << i;
    }
  }
}

TEST(SimpleBlocks, Q8_0ReachesMinus128) {
  BlockQ8_0 block = {};
  block.scale = kHalf;
  block.quants[0] = -128;
  block.quants[31] = 127;
  float out[32];
  Dequantize(block, out);
  EXPECT_EQ(out[0], -64.0f);
  EXPECT_EQ(out[1], 0.0f);
  EXPECT_EQ(out[31], 63.5f);
}

TEST(SimpleBlocks, ANanScaleShows) {
  BlockQ4_0 block = {};
  block.scale = {0x01, 0x7c};
  float out[32];
  Dequantize(block, out);
  for (float value : out) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace infer::formats
