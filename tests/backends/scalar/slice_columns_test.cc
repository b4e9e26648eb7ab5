// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarSliceColumns, CutsColumnsOut) {
  auto out = KernelHarness(ScalarKernels(), "slice_columns_f32_scalar")
                 .In(F32Tensor({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}))
                 .Attrs({int64_t{1}, int64_t{2}})
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(2, 3, 6, 7));
}

TEST(ScalarSliceColumns, ReachesTheLastColumn) {
  auto out = KernelHarness(ScalarKernels(), "slice_columns_f32_scalar")
                 .In(F32Tensor({1, 4}, {1, 2, 3, 4}))
                 .Attrs({int64_t{3}, int64_t{1}})
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(4));
}

}  // namespace
}  // namespace infer
