// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarSelectRows, TakesTheRowsTheBatchWants) {
  const int32_t rows[] = {0, 2};
  Batch batch;
  batch.out_rows = rows;
  auto out = KernelHarness(ScalarKernels(), "select_rows_f32_scalar")
                 .At({.t = 3, .r = 2})
                 .In(F32Tensor({Symbol::kT, 2}, {1, 2, 3, 4, 5, 6}))
                 .In(&batch)
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(1, 2, 5, 6));
}

TEST(ScalarSelectRows, TakesAllThatBelongsToAToken) {
  const int32_t rows[] = {1};
  Batch batch;
  batch.out_rows = rows;
  auto out = KernelHarness(ScalarKernels(), "select_rows_f32_scalar")
                 .At({.t = 2, .r = 1})
                 .In(F32Tensor({Symbol::kT, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
                 .In(&batch)
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(5, 6, 7, 8));
}

}  // namespace
}  // namespace infer
