// SPDX-License-Identifier: Apache-2.0
#include "runtime/random.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace infer {
namespace {

TEST(SplitMix64, GivesThePublishedNumbers) {
  // As listed for seed 1234567 by implementations in many languages.
  SplitMix64 random(1234567);
  for (const uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                  4593380528125082431u, 16408922859458223821u}) {
    EXPECT_EQ(random.Next(), expected);
  }
}

TEST(Random, GivesThePublishedNumbers) {
  // The authors' C code with the state 1, 2, 3, 4.
  Random random({1, 2, 3, 4});
  for (const uint64_t expected :
       {uint64_t{11520}, uint64_t{0}, uint64_t{1509978240}, uint64_t{1215971899390074240},
        uint64_t{1216172134540287360}, uint64_t{607988272756665600},
        uint64_t{16172922978634559625u}, uint64_t{8476171486693032832},
        uint64_t{10595114339597558777u}, uint64_t{2904607092377533576}}) {
    EXPECT_EQ(random.Next(), expected);
  }
}

TEST(Random, SeedsGiveDifferentNumbersAndTheSameOnesAgain) {
  EXPECT_EQ(Random(0).Next(), Random(0).Next());
  EXPECT_NE(Random(0).Next(), Random(1).Next());
  EXPECT_NE(Random(0).Next(), 0u);
}

TEST(Random, UnitNumbersFillTheIntervalEvenly) {
  Random random(42);
  constexpr int kDraws = 100000;
  int tenths[10] = {};
  for (int i = 0; i < kDraws; ++i) {
    const double unit = random.NextUnit();
    ASSERT_GE(unit, 0.0);
    ASSERT_LT(unit, 1.0);
    ++tenths[static_cast<int>(unit * 10)];
  }
  // Five standard deviations of a binomial count: sqrt(100000 * 0.1 * 0.9) = 95.
  for (const int count : tenths) EXPECT_NEAR(count, kDraws / 10, 475);
}

}  // namespace
}  // namespace infer
