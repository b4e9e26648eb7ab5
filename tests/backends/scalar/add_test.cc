// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarAdd, AddsElementByElement) {
  std::vector<float> x = RandomFloats(35, 1);
  std::vector<float> y = RandomFloats(35, 2);
  auto out = KernelHarness(ScalarKernels(), "add_f32_scalar")
                 .In(F32Tensor({5, 7}, x))
                 .In(F32Tensor({5, 7}, y))
                 .Run();
  for (int i = 0; i < 35; ++i) EXPECT_EQ(out[0].floats()[i], x[i] + y[i]) << i;
}

TEST(ScalarAdd, AddsAVectorToEveryRow) {
  auto out = KernelHarness(ScalarKernels(), "add_f32_scalar")
                 .In(F32Tensor({1, 2, 3}, {1, 2, 3, 4, 5, 6}))
                 .In(F32Tensor({3}, {10, 20, 30}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(11, 22, 33, 14, 25, 36));
}

TEST(ScalarAdd, AddsTwoVectors) {
  auto out = KernelHarness(ScalarKernels(), "add_f32_scalar")
                 .In(F32Tensor({2}, {1, 2}))
                 .In(F32Tensor({2}, {10, 20}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(11, 22));
}

TEST(ScalarAdd, KeepsNanAndInfinity) {
  const float inf = std::numeric_limits<float>::infinity();
  auto out = KernelHarness(ScalarKernels(), "add_f32_scalar")
                 .In(F32Tensor({1, 3}, {NAN, inf, inf}))
                 .In(F32Tensor({1, 3}, {1, 1, -inf}))
                 .Run();
  EXPECT_TRUE(std::isnan(out[0].floats()[0]));
  EXPECT_EQ(out[0].floats()[1], inf);
  EXPECT_TRUE(std::isnan(out[0].floats()[2]));
}

}  // namespace
}  // namespace infer
