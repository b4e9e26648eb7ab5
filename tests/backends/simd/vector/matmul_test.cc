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

std::vector<float> Product(const Level& level, const std::vector<float>& a,
                           const std::vector<float>& b, int64_t rows, int64_t inner,
                           int64_t columns) {
  std::vector<float> out(rows * columns, -1);
  level.vector->matmul({.a = a.data(),
                        .b = b.data(),
                        .out = out.data(),
                        .rows = rows,
                        .inner = inner,
                        .columns = columns});
  return out;
}

// Fewer rows and columns than a tile, exactly one, and a rest behind several.
TEST(SimdMatmul, IsWithinTheToleranceOfExactSums) {
  struct Dims {
    int64_t rows, inner, columns;
  };
  for (const Level* level : RunnableLevels()) {
    for (Dims d : {Dims{1, 1, 1}, {3, 5, 7}, {4, 64, 64}, {5, 33, 83}, {9, 700, 65}, {2, 3, 16}}) {
      SCOPED_TRACE(std::string(level->name) + " " + std::to_string(d.columns));
      const std::vector<float> a = RandomFloats(d.rows * d.inner, 1);
      const std::vector<float> b = RandomFloats(d.inner * d.columns, 2);
      const std::vector<float> out = Product(*level, a, b, d.rows, d.inner, d.columns);
      for (int64_t i = 0; i < d.rows * d.columns; ++i) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < d.inner; ++k) {
          const double term = static_cast<double>(a[i / d.columns * d.inner + k]) *
                              b[k * d.columns + i % d.columns];
          sum += term;
          size += std::fabs(term);
        }
        ASSERT_NEAR(out[i], sum, 0x1p-24 * std::sqrt(static_cast<double>(d.inner)) * size + 1e-30);
      }
    }
  }
}

// Threads cut the rows where they like.
TEST(SimdMatmul, GivesARowTheSameBitsInEveryTile) {
  for (const Level* level : RunnableLevels()) {
    const std::vector<float> a = RandomFloats(7 * 50, 1), b = RandomFloats(50 * 37, 2);
    const std::vector<float> all = Product(*level, a, b, 7, 50, 37);
    for (int64_t row = 0; row < 7; ++row) {
      const std::vector<float> alone(a.begin() + row * 50, a.begin() + (row + 1) * 50);
      const std::vector<float> out = Product(*level, alone, b, 1, 50, 37);
      EXPECT_TRUE(std::equal(out.begin(), out.end(), all.begin() + row * 37)) << level->name;
    }
  }
}

TEST(SimdMatmul, KeepsNanAndInfinityWhereTheyBelong) {
  constexpr float kQuietNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kPositiveInf = std::numeric_limits<float>::infinity();
  for (const Level* level : RunnableLevels()) {
    const std::vector<float> out =
        Product(*level, {kQuietNan, 0, 1, 2}, {1, 2, 3, 4, 5, kPositiveInf}, 2, 2, 3);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(out[i])) << level->name;
    EXPECT_EQ(out[3], 9);
    EXPECT_EQ(out[4], 12);
    EXPECT_EQ(out[5], kPositiveInf);
  }
}

}  // namespace
}  // namespace infer::simd
