// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarSoftmax, IsTheNearestFloat) {
  for (int64_t columns : {1, 3, 17, 1000}) {
    std::vector<float> x = RandomFloats(3 * columns, static_cast<uint32_t>(columns));
    auto out =
        KernelHarness(ScalarKernels(), "softmax_f32_scalar").In(F32Tensor({3, columns}, x)).Run();
    std::vector<float> found = out[0].floats();
    for (int64_t row = 0; row < 3; ++row) {
      long double sum = 0;
      for (int64_t i = 0; i < columns; ++i)
        sum += std::exp(static_cast<long double>(x[row * columns + i]));
      for (int64_t i = row * columns; i < (row + 1) * columns; ++i) {
        EXPECT_FLOAT_EQ(found[i],
                        static_cast<float>(std::exp(static_cast<long double>(x[i])) / sum))
            << i;
      }
    }
  }
}

TEST(ScalarSoftmax, DoesNotOverflow) {
  auto out = KernelHarness(ScalarKernels(), "softmax_f32_scalar")
                 .In(F32Tensor({2, 2}, {3e38f, 3e38f, -3e38f, 3e38f}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(0.5f, 0.5f, 0, 1));
}

TEST(ScalarSoftmax, GivesMaskedElementsNoWeight) {
  auto out = KernelHarness(ScalarKernels(), "softmax_f32_scalar")
                 .In(F32Tensor({2, 3}, {-INFINITY, 2, 2, -INFINITY, -INFINITY, -INFINITY}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(0, 0.5f, 0.5f, 0, 0, 0));
}

TEST(ScalarSoftmax, MakesTheRowOfANanOrInfinityNan) {
  auto out = KernelHarness(ScalarKernels(), "softmax_f32_scalar")
                 .In(F32Tensor({4, 2}, {NAN, 1, -INFINITY, NAN, INFINITY, 0, 0, 0}))
                 .Run();
  std::vector<float> found = out[0].floats();
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(std::isnan(found[i])) << i;
  EXPECT_EQ(found[6], 0.5f);
  EXPECT_EQ(found[7], 0.5f);
}

}  // namespace
}  // namespace infer
