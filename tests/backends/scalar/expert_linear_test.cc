// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNan;

TestTensor Ids(Shape shape, std::vector<int32_t> ids) { return I32Tensor(shape, std::move(ids)); }

// Three experts with one row each: 1 1, 10 0, 0 100.
TestTensor Experts() { return F32Tensor({3, 1, 2}, {1, 1, 10, 0, 0, 100}); }

std::vector<float> Multiply(TestTensor x, TestTensor weight, TestTensor ids) {
  return KernelHarness(ScalarKernels(), "expert_linear_f32_scalar")
      .In(std::move(x))
      .In(std::move(weight))
      .In(std::move(ids))
      .Run()[0]
      .floats();
}

TEST(ScalarExpertLinear, MultipliesATokenWithEachOfItsExperts) {
  EXPECT_THAT(Multiply(F32Tensor({2, 2}, {1, 2, 3, 4}), Experts(), Ids({2, 2}, {2, 0, 1, 0})),
              ElementsAre(200, 3, 30, 7));
}

TEST(ScalarExpertLinear, MultipliesARowForEachExpert) {
  EXPECT_THAT(Multiply(F32Tensor({1, 2, 2}, {1, 2, 3, 4}), Experts(), Ids({1, 2}, {2, 0})),
              ElementsAre(200, 7));
}

TEST(ScalarExpertLinear, GivesNanForAnExpertThatDoesNotExist) {
  EXPECT_THAT(Multiply(F32Tensor({1, 2}, {1, 2}), Experts(), Ids({1, 3}, {3, 1, -1})),
              ElementsAre(IsNan(), 10, IsNan()));
}

TEST(ScalarExpertLinear, AgreesWithLinear) {
  constexpr int64_t kExperts = 4, kRows = 5, kColumns = 33, kTokens = 7;
  const std::vector<float> x = RandomFloats(kTokens * kColumns, 1);
  const std::vector<float> w = RandomFloats(kExperts * kRows * kColumns, 2);
  std::vector<int32_t> ids;
  for (int32_t t = 0; t < kTokens; ++t) ids.push_back(t * 3 % kExperts);
  const std::vector<float> found =
      Multiply(F32Tensor({kTokens, kColumns}, x), F32Tensor({kExperts, kRows, kColumns}, w),
               Ids({kTokens, 1}, ids));
  const std::vector<float> all = KernelHarness(ScalarKernels(), "linear_f32_scalar")
                                     .In(F32Tensor({kTokens, kColumns}, x))
                                     .In(F32Tensor({kExperts * kRows, kColumns}, w))
                                     .Run()[0]
                                     .floats();
  for (int64_t t = 0; t < kTokens; ++t) {
    for (int64_t row = 0; row < kRows; ++row) {
      EXPECT_EQ(found[t * kRows + row], all[(t * kExperts + ids[t]) * kRows + row]);
    }
  }
}

}  // namespace
}  // namespace infer
