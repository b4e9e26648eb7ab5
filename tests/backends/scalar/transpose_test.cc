// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarTranspose, MakesRowsOfColumns) {
  auto out = KernelHarness(ScalarKernels(), "transpose_f32_scalar")
                 .In(F32Tensor({2, 3}, {1, 2, 3, 4, 5, 6}))
                 .Run();
  EXPECT_EQ(out[0].type, ValueType::F32({3, 2}));
  EXPECT_THAT(out[0].floats(), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(ScalarTranspose, TurnsARowIntoAColumn) {
  auto out =
      KernelHarness(ScalarKernels(), "transpose_f32_scalar").In(F32Tensor({1, 3}, {1, 2, 3})).Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace infer
