// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <vector>

#include "backends/simd/isa/vector_kernels.h"
#include "gtest/gtest.h"
#include "tests/backends/simd/runnable_levels.h"
#include "tests/support/kernel_harness.h"

namespace infer::simd {
namespace {

constexpr int64_t kNormLengths[] = {1, 3, 4, 15, 64, 100, 128, 1024, 3001};

std::vector<double> ReferenceNorm(const std::vector<float>& x, const std::vector<float>& weight,
                                  double eps) {
  double squares = 0;
  for (float v : x) squares += static_cast<double>(v) * v;
  std::vector<double> out;
  for (size_t i = 0; i < x.size(); ++i) {
    out.push_back(x[i] / std::sqrt(squares / static_cast<double>(x.size()) + eps) * weight[i]);
  }
  return out;
}

TEST(SimdNorm, IsWithinTheTolerance) {
  for (const Level* level : RunnableLevels()) {
    for (int64_t n : kNormLengths) {
      SCOPED_TRACE(std::string(level->name) + " " + std::to_string(n));
      std::vector<float> x = RandomFloats(n, 1);
      const std::vector<float> weight = RandomFloats(n, 2);
      const auto expected = ReferenceNorm(x, weight, 1e-6);
      level->vector->rms_norm(x.data(), weight.data(), 1e-6f, n, x.data());
      const double units = 4 + std::sqrt(static_cast<double>(n));
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_NEAR(x[i], expected[i], std::abs(expected[i]) * units * 0x1p-24);
      }
    }
  }
}

TEST(SimdNorm, AddsBeforeItNorms) {
  for (const Level* level : RunnableLevels()) {
    for (int64_t n : kNormLengths) {
      const std::vector<float> x = RandomFloats(n, 1), y = RandomFloats(n, 2);
      const std::vector<float> weight = RandomFloats(n, 3);
      std::vector<float> sum(n), normed(n), again(n);
      level->vector->add_rms_norm(x.data(), y.data(), weight.data(), 1e-5f, n, sum.data(),
                                  normed.data());
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(sum[i], x[i] + y[i]) << level->name;
      level->vector->rms_norm(sum.data(), weight.data(), 1e-5f, n, again.data());
      EXPECT_EQ(normed, again) << level->name;
    }
  }
}

TEST(SimdNorm, NanSpoilsTheRow) {
  for (const Level* level : RunnableLevels()) {
    std::vector<float> x(37, 1.0f);
    const std::vector<float> weight(37, 1.0f);
    x[36] = std::numeric_limits<float>::quiet_NaN();
    level->vector->rms_norm(x.data(), weight.data(), 1e-6f, 37, x.data());
    for (float v : x) EXPECT_TRUE(std::isnan(v)) << level->name;
  }
}

TEST(SimdNorm, RowOfZerosStaysZero) {
  for (const Level* level : RunnableLevels()) {
    std::vector<float> x(20, 0.0f);
    const std::vector<float> weight(20, 3.0f);
    level->vector->rms_norm(x.data(), weight.data(), 1e-6f, 20, x.data());
    EXPECT_EQ(x, std::vector<float>(20, 0.0f)) << level->name;
  }
}

TEST(SimdNorm, SumOfSquares) {
  for (const Level* level : RunnableLevels()) {
    const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7};
    EXPECT_EQ(level->vector->sum_squares(x.data(), 7), 140.0f) << level->name;
    EXPECT_EQ(level->vector->sum_squares(x.data(), 0), 0.0f) << level->name;
  }
}

}  // namespace
}  // namespace infer::simd
