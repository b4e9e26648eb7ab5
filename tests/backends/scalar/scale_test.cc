// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarScale, MultipliesAndRoundsOnce) {
  std::vector<float> x = RandomFloats(15, 1);
  auto out = KernelHarness(ScalarKernels(), "scale_f32_scalar")
                 .In(F32Tensor({5, 3}, x))
                 .Attrs({1.0 / 3})
                 .Run();
  for (int i = 0; i < 15; ++i) {
    EXPECT_EQ(out[0].floats()[i], static_cast<float>(static_cast<double>(x[i]) / 3)) << i;
  }
}

TEST(ScalarScale, KeepsNanAndInfinity) {
  auto out = KernelHarness(ScalarKernels(), "scale_f32_scalar")
                 .In(F32Tensor({3}, {NAN, -INFINITY, 3}))
                 .Attrs({2.0})
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(::testing::IsNan(), -INFINITY, 6));
}

}  // namespace
}  // namespace infer
