// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarBroadcastRows, RepeatsEachElement) {
  auto out = KernelHarness(ScalarKernels(), "broadcast_rows_f32_scalar")
                 .In(F32Tensor({1, 2}, {3, 4}))
                 .Attrs({int64_t{3}})
                 .Run();
  EXPECT_EQ(out[0].type, ValueType::F32({1, 2, 3}));
  EXPECT_THAT(out[0].floats(), ElementsAre(3, 3, 3, 4, 4, 4));
}

}  // namespace
}  // namespace infer
