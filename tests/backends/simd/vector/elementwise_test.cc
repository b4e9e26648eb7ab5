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

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
// Full vectors of every level, tails, one element, none.
constexpr int64_t kLengths[] = {0, 1, 3, 4, 7, 16, 17, 33, 128, 1000};

double ReferenceSilu(double x) { return x / (1.0 + std::exp(-x)); }

TEST(SimdElementwise, AddAndMulAreExact) {
  for (const Level* level : RunnableLevels()) {
    for (int64_t n : kLengths) {
      SCOPED_TRACE(std::string(level->name) + " " + std::to_string(n));
      const std::vector<float> x = RandomFloats(n, 1), y = RandomFloats(n, 2);
      std::vector<float> sum(n), product(n), scaled(n), shifted(n);
      level->vector->add(x.data(), y.data(), n, sum.data());
      level->vector->mul(x.data(), y.data(), n, product.data());
      level->vector->scale(x.data(), 0.1f, n, scaled.data());
      level->vector->add_scalar(x.data(), 0.1f, n, shifted.data());
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(sum[i], x[i] + y[i]);
        ASSERT_EQ(product[i], x[i] * y[i]);
        ASSERT_EQ(scaled[i], x[i] * 0.1f);
        ASSERT_EQ(shifted[i], x[i] + 0.1f);
      }
    }
  }
}

TEST(SimdElementwise, WritesNothingBehindTheRow) {
  for (const Level* level : RunnableLevels()) {
    for (int64_t n : kLengths) {
      const std::vector<float> x = RandomFloats(n + 1, 1);
      std::vector<float> out(n + 20, 77.0f);
      level->vector->silu(x.data() + 1, n, out.data());
      for (size_t i = n; i < out.size(); ++i) ASSERT_EQ(out[i], 77.0f) << level->name << n;
    }
  }
}

TEST(SimdElementwise, SiluIsWithinSixUnits) {
  for (const Level* level : RunnableLevels()) {
    for (float x = -85.0f; x < 85.0f; x += 0.0137f) {
      float out;
      level->vector->silu(&x, 1, &out);
      const double expected = ReferenceSilu(x);
      ASSERT_NEAR(out, expected, std::abs(expected) * 6 * 0x1p-24) << level->name << " " << x;
    }
  }
}

TEST(SimdElementwise, SiluOfExtremes) {
  const std::vector<float> x = {0.0f, -0.0f, 1e30f, -1e30f, kInf, 200.0f, -200.0f};
  const std::vector<float> expected = {0.0f, -0.0f, 1e30f, -0.0f, kInf, 200.0f, -0.0f};
  for (const Level* level : RunnableLevels()) {
    std::vector<float> out(x.size());
    level->vector->silu(x.data(), static_cast<int64_t>(x.size()), out.data());
    EXPECT_EQ(out, expected) << level->name;
    const float undefined[] = {kNan, -kInf};  // -inf / inf, as the reference has it
    level->vector->silu(undefined, 2, out.data());
    EXPECT_TRUE(std::isnan(out[0])) << level->name;
    EXPECT_TRUE(std::isnan(out[1])) << level->name;
  }
}

TEST(SimdElementwise, SwigluIsSiluTimesUp) {
  for (const Level* level : RunnableLevels()) {
    for (int64_t n : kLengths) {
      std::vector<float> gate = RandomFloats(n, 3);
      const std::vector<float> up = RandomFloats(n, 4);
      std::vector<float> out(n);
      level->vector->swiglu(gate.data(), up.data(), n, out.data());
      for (int64_t i = 0; i < n; ++i) {
        const double expected = ReferenceSilu(gate[i]) * up[i];
        ASSERT_NEAR(out[i], expected, std::abs(expected) * 8 * 0x1p-24) << level->name;
      }
      level->vector->swiglu(gate.data(), up.data(), n, gate.data());
      EXPECT_EQ(gate, out) << "in place, " << level->name;
    }
  }
}

}  // namespace
}  // namespace infer::simd
