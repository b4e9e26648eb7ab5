// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarAddScalar, AddsAndRoundsOnce) {
  // 1e-6 has no exact float: adding its float instead would differ in the last bit of some.
  std::vector<float> x = RandomFloats(21, 1);
  auto out = KernelHarness(ScalarKernels(), "add_scalar_f32_scalar")
                 .In(F32Tensor({21}, x))
                 .Attrs({1e-6})
                 .Run();
  for (int i = 0; i < 21; ++i) {
    EXPECT_EQ(out[0].floats()[i], static_cast<float>(static_cast<double>(x[i]) + 1e-6)) << i;
  }
}

TEST(ScalarAddScalar, KeepsNanAndInfinity) {
  auto out = KernelHarness(ScalarKernels(), "add_scalar_f32_scalar")
                 .In(F32Tensor({3, 1}, {NAN, INFINITY, 2}))
                 .Attrs({0.5})
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(::testing::IsNan(), INFINITY, 2.5f));
}

}  // namespace
}  // namespace infer
