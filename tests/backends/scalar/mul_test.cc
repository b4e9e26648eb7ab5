// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarMul, MultipliesElementByElement) {
  std::vector<float> x = RandomFloats(33, 1);
  std::vector<float> y = RandomFloats(33, 2);
  auto out = KernelHarness(ScalarKernels(), "mul_f32_scalar")
                 .In(F32Tensor({3, 11}, x))
                 .In(F32Tensor({3, 11}, y))
                 .Run();
  for (int i = 0; i < 33; ++i) EXPECT_EQ(out[0].floats()[i], x[i] * y[i]) << i;
}

TEST(ScalarMul, MultipliesEveryRowByAVector) {
  auto out = KernelHarness(ScalarKernels(), "mul_f32_scalar")
                 .In(F32Tensor({2, 1, 3}, {1, 2, 3, 4, 5, NAN}))
                 .In(F32Tensor({3}, {2, 0.5f, -1}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(2, 1, -3, 8, 2.5f, ::testing::IsNan()));
}

}  // namespace
}  // namespace infer
