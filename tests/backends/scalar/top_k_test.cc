// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

std::vector<TestTensor> TopK(std::vector<float> x, int64_t columns, int64_t k, bool normed) {
  const int64_t rows = static_cast<int64_t>(x.size()) / columns;
  return KernelHarness(ScalarKernels(), "top_k_f32_scalar")
      .In(F32Tensor({rows, columns}, std::move(x)))
      .Attrs({k, normed})
      .Run();
}

TEST(ScalarTopK, ListsTheLargestInDescendingOrder) {
  auto out = TopK({1, 4, 2, 3, -1, -4, -2, -3}, 4, 3, false);
  EXPECT_THAT(out[0].ints(), ElementsAre(1, 3, 2, 0, 2, 3));
  EXPECT_THAT(out[1].floats(), ElementsAre(4, 3, 2, -1, -2, -3));
}

TEST(ScalarTopK, DividesByTheSum) {
  auto out = TopK({0.125f, 0.5f, 0.25f, 0.125f}, 4, 2, true);
  EXPECT_THAT(out[0].ints(), ElementsAre(1, 2));
  EXPECT_THAT(out[1].floats(), ElementsAre(2.0f / 3, 1.0f / 3));
}

TEST(ScalarTopK, TakesTheFirstOfEqualElements) {
  auto out = TopK({1, 2, 2, 2, 1}, 5, 4, false);
  EXPECT_THAT(out[0].ints(), ElementsAre(1, 2, 3, 0));
}

TEST(ScalarTopK, TakesAllColumns) {
  auto out = TopK({3, 1, 2}, 3, 3, false);
  EXPECT_THAT(out[0].ints(), ElementsAre(0, 2, 1));
}

TEST(ScalarTopK, NamesColumnsOfTheRowEvenIfElementsAreNotNumbers) {
  auto out = TopK({NAN, NAN, -INFINITY, NAN}, 4, 4, true);
  EXPECT_THAT(out[0].ints(), ElementsAre(0, 1, 3, 2));
  EXPECT_TRUE(std::isnan(out[1].floats()[0]));
}

}  // namespace
}  // namespace infer
