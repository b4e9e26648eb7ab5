// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/dot.h"

#include <cmath>

#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer::scalar {
namespace {

TEST(ScalarDot, LosesNothingToCancellation) {
  // In float 1e8 + 1 is 1e8.
  const float a[] = {1e8f, 1, 0, 0, 0, 0, 0, 0, -1e8f};
  const float b[] = {1, 1, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_EQ(Dot(a, b, 9), 1.0);
}

TEST(ScalarDot, IsFarMoreExactThanAFloat) {
  for (int64_t n : {1, 5, 8, 13, 1024, 4095}) {
    const std::vector<float> a = RandomFloats(n, 1);
    const std::vector<float> b = RandomFloats(n, 2);
    long double sum = 0;
    long double magnitude = 0;
    for (int64_t i = 0; i < n; ++i) {
      sum += static_cast<long double>(a[i]) * b[i];
      magnitude += std::abs(static_cast<long double>(a[i]) * b[i]);
    }
    EXPECT_NEAR(Dot(a.data(), b.data(), n), sum, 1e-14 * magnitude) << n;
  }
}

TEST(ScalarDot, OfNothingIsZero) { EXPECT_EQ(Dot(nullptr, nullptr, 0), 0.0); }

}  // namespace
}  // namespace infer::scalar
