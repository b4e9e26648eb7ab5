// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarRsqrt, InvertsTheRoot) {
  auto out = KernelHarness(ScalarKernels(), "rsqrt_f32_scalar")
                 .In(F32Tensor({5}, {4, 0.25f, 2, 1e-6f, 1e30f}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(0.5f, 2, 0.707106781f, 1e3f, 1e-15f));
}

TEST(ScalarRsqrt, GivesInfinityForZeroAndNanBelow) {
  auto out = KernelHarness(ScalarKernels(), "rsqrt_f32_scalar")
                 .In(F32Tensor({2, 2}, {0, INFINITY, -1, NAN}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(INFINITY, 0, ::testing::IsNan(), ::testing::IsNan()));
}

}  // namespace
}  // namespace infer
