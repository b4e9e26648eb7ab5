// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarConcatColumns, PutsColumnsSideBySide) {
  auto out = KernelHarness(ScalarKernels(), "concat_columns_f32_scalar")
                 .In(F32Tensor({2, 2}, {1, 2, 3, 4}))
                 .In(F32Tensor({2, 1}, {5, 6}))
                 .In(F32Tensor({2, 3}, {7, 8, 9, 10, 11, 12}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(1, 2, 5, 7, 8, 9, 3, 4, 6, 10, 11, 12));
}

TEST(ScalarConcatColumns, CopiesASinglePart) {
  auto out = KernelHarness(ScalarKernels(), "concat_columns_f32_scalar")
                 .In(F32Tensor({1, 2}, {1, 2}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(1, 2));
}

}  // namespace
}  // namespace infer
