// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarGatherRows, TakesRowsInTheOrderAskedFor) {
  auto out = KernelHarness(ScalarKernels(), "gather_rows_f32_scalar")
                 .In(F32Tensor({3, 2}, {1, 2, 3, 4, 5, 6}))
                 .In(I32Tensor({4}, {2, 0, 2, 1}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(5, 6, 1, 2, 5, 6, 3, 4));
}

}  // namespace
}  // namespace infer
