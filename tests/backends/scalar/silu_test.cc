// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarSilu, MatchesTheFormula) {
  auto out = KernelHarness(ScalarKernels(), "silu_f32_scalar")
                 .In(F32Tensor({1, 5}, {0, 1, -1, 2.5f, -20}))
                 .Run();
  EXPECT_THAT(out[0].floats(),
              ElementsAre(0, 0.731058579f, -0.268941421f, 2.31035455f, -4.12230724e-08f));
}

TEST(ScalarSilu, DoesNotOverflowOnTheWay) {
  auto out = KernelHarness(ScalarKernels(), "silu_f32_scalar")
                 .In(F32Tensor({4}, {1e4f, -1e4f, INFINITY, NAN}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(1e4f, 0, INFINITY, ::testing::IsNan()));
}

}  // namespace
}  // namespace infer
