// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "backends/simd/isa/vector_kernels.h"
#include "gtest/gtest.h"
#include "tests/backends/simd/runnable_levels.h"
#include "tests/support/kernel_harness.h"

namespace infer::simd {
namespace {

constexpr float kSoftmaxInf = std::numeric_limits<float>::infinity();
constexpr float kSoftmaxNan = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t kSoftmaxLengths[] = {1, 3, 4, 15, 33, 64, 1000, 4099};

// Distance to the nearest float in units in its last place.
double Ulps(float found, double expected) {
  const int exponent = std::ilogb(static_cast<float>(expected));
  return std::abs(found - expected) / std::ldexp(1.0, exponent - 23);
}

TEST(SimdExp, IsWithinTwoUnitsInTheLastPlace) {
  for (const Level* level : RunnableLevels()) {
    double worst = 0;
    for (float x = -87.3f; x < 88.7f; x += 0.00037f) {
      worst = std::max(worst, Ulps(level->vector->sum_exp(&x, 1, 0.0f), std::exp(double{x})));
    }
    EXPECT_LE(worst, 1.4) << level->name;
  }
}

TEST(SimdExp, AtTheEdges) {
  for (const Level* level : RunnableLevels()) {
    const auto exp = [&](float x) { return level->vector->sum_exp(&x, 1, 0.0f); };
    EXPECT_EQ(exp(0.0f), 1.0f);
    EXPECT_EQ(exp(-kSoftmaxInf), 0.0f);
    EXPECT_EQ(exp(-1e30f), 0.0f);
    EXPECT_EQ(exp(kSoftmaxInf), kSoftmaxInf);
    EXPECT_EQ(exp(88.73f), kSoftmaxInf);
    EXPECT_TRUE(std::isnan(exp(kSoftmaxNan)));
    EXPECT_NEAR(exp(-95.0f), std::exp(-95.0), 2e-45) << "below the normal range";
  }
}

TEST(SimdSoftmax, IsWithinSixteenUnits) {
  for (const Level* level : RunnableLevels()) {
    for (int64_t n : kSoftmaxLengths) {
      for (float spread : {1.0f, 40.0f}) {
        SCOPED_TRACE(std::string(level->name) + " " + std::to_string(n));
        std::vector<float> x = RandomFloats(n, 1);
        for (float& v : x) v = v * spread + 100.0f;
        double max = -kSoftmaxInf, sum = 0;
        for (float v : x) max = std::max<double>(max, v);
        for (float v : x) sum += std::exp(v - max);
        std::vector<float> out(n);
        level->vector->softmax(x.data(), n, out.data());
        for (int64_t i = 0; i < n; ++i) {
          const double expected = std::exp(x[i] - max) / sum;
          ASSERT_NEAR(out[i], expected, expected * 16 * 0x1p-24 + 0x1p-140);
        }
        level->vector->softmax(x.data(), n, x.data());
        EXPECT_EQ(x, out) << "in place";
      }
    }
  }
}

TEST(SimdSoftmax, MaskedAndUndefinedRows) {
  for (const Level* level : RunnableLevels()) {
    for (int64_t n : kSoftmaxLengths) {
      SCOPED_TRACE(std::string(level->name) + " " + std::to_string(n));
      std::vector<float> x(n, -kSoftmaxInf), out(n);
      level->vector->softmax(x.data(), n, out.data());
      EXPECT_EQ(out, std::vector<float>(n, 0.0f)) << "nothing visible";
      x[n / 2] = 3.0f;
      level->vector->softmax(x.data(), n, out.data());
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(out[i], i == n / 2 ? 1.0f : 0.0f);
      for (float bad : {kSoftmaxNan, kSoftmaxInf}) {
        x[n / 2] = bad;
        level->vector->softmax(x.data(), n, out.data());
        for (float v : out) ASSERT_TRUE(std::isnan(v)) << bad;
      }
    }
  }
}

TEST(SimdSoftmax, HugeNumbers) {
  for (const Level* level : RunnableLevels()) {
    const float x[] = {3e38f, -3e38f, 3e38f};
    float out[3];
    level->vector->softmax(x, 3, out);
    EXPECT_EQ(out[0], 0.5f) << level->name;
    EXPECT_EQ(out[1], 0.0f) << level->name;
    EXPECT_EQ(out[2], 0.5f) << level->name;
  }
}

TEST(SimdArgmax, TakesTheFirstOfTheLargest) {
  for (const Level* level : RunnableLevels()) {
    for (int64_t n : kSoftmaxLengths) {
      for (int64_t at : {int64_t{0}, n / 3, n - 1}) {
        std::vector<float> x = RandomFloats(n, 5);
        x[at] = 9.0f;
        x[n - 1] = 9.0f;
        EXPECT_EQ(level->vector->argmax(x.data(), n), at) << level->name << n;
      }
    }
  }
}

TEST(SimdArgmax, NanIsLargestAndInfinityIsANumber) {
  for (const Level* level : RunnableLevels()) {
    for (int64_t n : kSoftmaxLengths) {
      std::vector<float> x = RandomFloats(n, 5);
      x[n / 2] = kSoftmaxInf;
      EXPECT_EQ(level->vector->argmax(x.data(), n), n / 2) << level->name << n;
      x[n - 1] = kSoftmaxNan;
      EXPECT_EQ(level->vector->argmax(x.data(), n), n - 1) << level->name << n;
      x.assign(n, -kSoftmaxInf);
      EXPECT_EQ(level->vector->argmax(x.data(), n), 0) << level->name << n;
    }
  }
}

TEST(SimdSumExp, OfALongRow) {
  for (const Level* level : RunnableLevels()) {
    for (int64_t n : {1, 31, 151936}) {
      const std::vector<float> x = RandomFloats(n, 7);
      double expected = 0;
      for (float v : x) expected += std::exp(v - 2.0);
      EXPECT_NEAR(level->vector->sum_exp(x.data(), n, 2.0f), expected, expected * 16 * 0x1p-24)
          << level->name;
    }
  }
}

}  // namespace
}  // namespace infer::simd
