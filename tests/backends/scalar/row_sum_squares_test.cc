// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarRowSumSquares, IsTheNearestFloat) {
  for (int64_t columns : {1, 7, 8, 9, 1023, 4097}) {
    std::vector<float> x = RandomFloats(2 * columns, static_cast<uint32_t>(columns));
    auto out = KernelHarness(ScalarKernels(), "row_sum_squares_f32_scalar")
                   .In(F32Tensor({2, columns}, x))
                   .Run();
    for (int64_t row = 0; row < 2; ++row) {
      long double sum = 0;
      for (int64_t i = row * columns; i < (row + 1) * columns; ++i) {
        sum += static_cast<long double>(x[i]) * x[i];
      }
      EXPECT_EQ(out[0].floats()[row], static_cast<float>(sum)) << columns;
    }
  }
}

TEST(ScalarRowSumSquares, KeepsLeadingAxes) {
  auto out = KernelHarness(ScalarKernels(), "row_sum_squares_f32_scalar")
                 .In(F32Tensor({1, 2, 2}, {3, 4, NAN, 1}))
                 .Run();
  EXPECT_EQ(out[0].type, ValueType::F32({1, 2}));
  EXPECT_THAT(out[0].floats(), ElementsAre(25, ::testing::IsNan()));
}

TEST(ScalarRowSumSquares, OverflowsOnlyWhereTheSumDoes) {
  auto out = KernelHarness(ScalarKernels(), "row_sum_squares_f32_scalar")
                 .In(F32Tensor({2, 2}, {1e20f, 0, 1e18f, 1e18f}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(INFINITY, ::testing::FloatEq(2e36f)));
}

}  // namespace
}  // namespace infer
