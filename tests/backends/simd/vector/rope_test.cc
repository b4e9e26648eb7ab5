// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "backends/simd/isa/vector_kernels.h"
#include "gtest/gtest.h"
#include "tests/backends/simd/runnable_levels.h"
#include "tests/support/kernel_harness.h"

namespace infer::simd {
namespace {

TEST(SimdSinCos, IsWithinFourUnitsUpToLongContexts) {
  for (const Level* level : RunnableLevels()) {
    std::vector<float> per_position;
    for (int i = 0; i < 67; ++i)
      per_position.push_back(std::pow(1e6f, -static_cast<float>(i) / 67));
    std::vector<float> cosine(67), sine(67);
    for (int32_t position : {0, 1, 2, 3, 100, 4095, 40960, 131071, 262143, 1000000}) {
      level->vector->sin_cos(per_position.data(), position, 1.0f, 67, cosine.data(), sine.data());
      for (int i = 0; i < 67; ++i) {
        const float angle = static_cast<float>(position) * per_position[i];
        ASSERT_NEAR(cosine[i], std::cos(double{angle}), 4 * 0x1p-24) << level->name << angle;
        ASSERT_NEAR(sine[i], std::sin(double{angle}), 4 * 0x1p-24) << level->name << angle;
      }
    }
  }
}

TEST(SimdSinCos, MultipliesByTheMagnitude) {
  for (const Level* level : RunnableLevels()) {
    const float per_position[] = {0.5f, 0.25f, 0.125f};
    float cosine[3], sine[3];
    level->vector->sin_cos(per_position, 3, 2.0f, 3, cosine, sine);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(cosine[i], 2 * std::cos(3.0 * per_position[i]), 5e-7) << level->name;
      EXPECT_NEAR(sine[i], 2 * std::sin(3.0 * per_position[i]), 5e-7) << level->name;
    }
  }
}

TEST(SimdRope, TurnsPairsHalfAHeadApart) {
  for (const Level* level : RunnableLevels()) {
    for (int64_t half : {1, 3, 4, 16, 19, 64}) {
      std::vector<float> x = RandomFloats(2 * half, 1);
      const std::vector<float> cosine = RandomFloats(half, 2), sine = RandomFloats(half, 3);
      const RopeRow row = {.cosine = cosine.data(), .sine = sine.data(), .half = half};
      std::vector<float> out(2 * half);
      level->vector->rope(x.data(), row, out.data());
      for (int64_t i = 0; i < half; ++i) {
        const double a = x[i], b = x[half + i];
        ASSERT_NEAR(out[i], a * cosine[i] - b * sine[i], 1e-6) << level->name;
        ASSERT_NEAR(out[half + i], b * cosine[i] + a * sine[i], 1e-6) << level->name;
      }
      level->vector->rope(x.data(), row, x.data());
      EXPECT_EQ(x, out) << "in place, " << level->name;
    }
  }
}

TEST(SimdRope, TurnsAdjacentPairs) {
  for (const Level* level : RunnableLevels()) {
    for (int64_t half : {1, 3, 4, 16, 19, 64}) {
      std::vector<float> x = RandomFloats(2 * half, 1);
      const std::vector<float> cosine = RandomFloats(half, 2), sine = RandomFloats(half, 3);
      const RopeRow row = {.cosine = cosine.data(), .sine = sine.data(), .half = half};
      std::vector<float> out(2 * half);
      level->vector->rope_adjacent(x.data(), row, out.data());
      for (int64_t i = 0; i < half; ++i) {
        const double a = x[2 * i], b = x[2 * i + 1];
        ASSERT_NEAR(out[2 * i], a * cosine[i] - b * sine[i], 1e-6) << level->name;
        ASSERT_NEAR(out[2 * i + 1], b * cosine[i] + a * sine[i], 1e-6) << level->name;
      }
      level->vector->rope_adjacent(x.data(), row, x.data());
      EXPECT_EQ(x, out) << "in place, " << level->name;
    }
  }
}

}  // namespace
}  // namespace infer::simd
