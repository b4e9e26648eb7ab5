// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarMatmul, IsTheNearestFloat) {
  struct Dims {
    int64_t rows, inner, columns;
  };
  for (Dims d : {Dims{1, 1, 1}, {3, 5, 7}, {2, 64, 8}, {5, 33, 17}, {1, 2000, 9}}) {
    std::vector<float> a = RandomFloats(d.rows * d.inner, 1);
    std::vector<float> b = RandomFloats(d.inner * d.columns, 2);
    auto out = KernelHarness(ScalarKernels(), "matmul_f32_scalar")
                   .In(F32Tensor({d.rows, d.inner}, a))
                   .In(F32Tensor({d.inner, d.columns}, b))
                   .Run();
    std::vector<float> found = out[0].floats();
    for (int64_t row = 0; row < d.rows; ++row) {
      for (int64_t column = 0; column < d.columns; ++column) {
        long double sum = 0;
        for (int64_t k = 0; k < d.inner; ++k) {
          sum += static_cast<long double>(a[row * d.inner + k]) * b[k * d.columns + column];
        }
        EXPECT_FLOAT_EQ(found[row * d.columns + column], static_cast<float>(sum));
      }
    }
  }
}

TEST(ScalarMatmul, SpreadsNanOverTheRowOnly) {
  auto out = KernelHarness(ScalarKernels(), "matmul_f32_scalar")
                 .In(F32Tensor({2, 2}, {NAN, 0, 1, 2}))
                 .In(F32Tensor({2, 2}, {1, 2, 3, INFINITY}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(::testing::IsNan(), ::testing::IsNan(), 7, INFINITY));
}

}  // namespace
}  // namespace infer
