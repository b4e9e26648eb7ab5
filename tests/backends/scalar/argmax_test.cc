// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarArgmax, GivesIndexAndProbability) {
  auto out = KernelHarness(ScalarKernels(), "argmax_f32_scalar")
                 .In(F32Tensor({3, 3}, {0, std::log(2.0f), 0, 5, 5, 5, -1e4f, -2e4f, -3e4f}))
                 .Run();
  EXPECT_THAT(out[0].ints(), ElementsAre(1, 0, 0));  // the lowest index on ties
  EXPECT_THAT(out[1].floats(), ElementsAre(0.5f, 1.0f / 3, 1));
}

TEST(ScalarArgmax, FindsTheLargestOfALongRow) {
  std::vector<float> x = RandomFloats(1001, 7);
  x[1000] = 9;
  auto out = KernelHarness(ScalarKernels(), "argmax_f32_scalar").In(F32Tensor({1, 1001}, x)).Run();
  long double sum = 0;
  for (float value : x) sum += std::exp(static_cast<long double>(value) - 9);
  EXPECT_THAT(out[0].ints(), ElementsAre(1000));
  EXPECT_FLOAT_EQ(out[1].floats()[0], static_cast<float>(1 / sum));
}

TEST(ScalarArgmax, ShowsNan) {
  auto out = KernelHarness(ScalarKernels(), "argmax_f32_scalar")
                 .In(F32Tensor({2, 3}, {1, NAN, 3, INFINITY, 0, 0}))
                 .Run();
  EXPECT_THAT(out[0].ints(), ElementsAre(1, 0));
  EXPECT_TRUE(std::isnan(out[1].floats()[0]));
}

TEST(ScalarArgmax, IgnoresMaskedElements) {
  auto out = KernelHarness(ScalarKernels(), "argmax_f32_scalar")
                 .In(F32Tensor({1, 3}, {-INFINITY, -2, -INFINITY}))
                 .Run();
  EXPECT_THAT(out[0].ints(), ElementsAre(1));
  EXPECT_THAT(out[1].floats(), ElementsAre(1));
}

}  // namespace
}  // namespace infer
