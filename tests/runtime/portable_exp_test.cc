// SPDX-License-Identifier: Apache-2.0
#include "runtime/portable_exp.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/random.h"

namespace infer {
namespace {

TEST(PortableExp, IsWithinTwoUnitsOfTheCLibrary) {
  Random random(7);
  for (int i = 0; i < 1000000; ++i) {
    // Half of them near 0, where most logits of a choice lie.
    const double x = -random.NextUnit() * (i % 2 == 0 ? 708.0 : 20.0);
    const double expected = std::exp(x);
    const double unit = std::nextafter(expected, 1.0) - expected;
    ASSERT_NEAR(PortableExp(x), expected, 2 * unit) << x;
  }
}

TEST(PortableExp, ZeroGivesOneAndFarBelowGivesZero) {
  EXPECT_EQ(PortableExp(0.0), 1.0);
  EXPECT_EQ(PortableExp(-0.0), 1.0);
  EXPECT_GT(PortableExp(-708.0), 0.0);
  EXPECT_EQ(PortableExp(-708.1), 0.0);
  EXPECT_EQ(PortableExp(-std::numeric_limits<double>::infinity()), 0.0);
}

TEST(PortableExp, BitsAreTheSameEverywhere) {
  // Folded over the bits of many results: any platform that rounds one differently shows here.
  Random random(11);
  uint64_t fold = 0;
  for (int i = 0; i < 100000; ++i) {
    fold = std::rotl(fold, 1) ^ std::bit_cast<uint64_t>(PortableExp(-50.0 * random.NextUnit()));
  }
  EXPECT_EQ(fold, 203003457077307184u);
}

TEST(PortableExp, ManyAtATimeAreTheSameBits) {
  Random random(13);
  for (size_t count = 0; count < 40; ++count) {
    std::vector<double> values(count);
    for (double& value : values) value = -750.0 * random.NextUnit() * random.NextUnit();
    std::vector<double> expected;
    for (const double value : values) expected.push_back(PortableExp(value));
    PortableExpInPlace(values);
    EXPECT_EQ(values, expected);
  }
}

}  // namespace
}  // namespace infer
