// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/random_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace infer {
namespace {

TEST(RandomStream, MixBitsIsSplitMix64) {
  EXPECT_EQ(MixBits(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(MixBits(0x9e3779b97f4a7c15u), 0x6e789e6aa1b965f4u);
}

TEST(RandomStream, ShorterFillIsAPrefixOfALongerOne) {
  std::array<std::byte, 29> longer;
  RandomStream(1, 2).Fill(longer);
  for (size_t bytes = 0; bytes <= longer.size(); ++bytes) {
    std::vector<std::byte> shorter(bytes);
    RandomStream(1, 2).Fill(shorter);
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin())) << bytes;
  }
}

TEST(RandomStream, OtherSeedNameOrRowIsAnotherStream) {
  EXPECT_NE(StreamKey(1, "a"), StreamKey(2, "a"));
  EXPECT_NE(StreamKey(1, "a"), StreamKey(1, "b"));
  EXPECT_NE(RandomStream(1, 0).Next(), RandomStream(1, 1).Next());
  EXPECT_EQ(RandomStream(1, 1).Next(), RandomStream(1, 1).Next());
}

TEST(RandomStream, BelowStaysBelowAndReachesAll) {
  RandomStream stream(3, 0);
  std::array<int, 7> counts = {};
  for (int i = 0; i < 7000; ++i) ++counts.at(stream.Below(7));
  for (int count : counts) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace infer
