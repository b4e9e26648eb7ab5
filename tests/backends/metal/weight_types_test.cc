// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/weight_types.h"

#include "gtest/gtest.h"
#include "ir/base/strings.h"

namespace infer::metal {
namespace {

constexpr DType kRead[] = {DType::kF32,  DType::kF16,  DType::kBF16, DType::kQ8_0,
                           DType::kQ4_0, DType::kQ4_K, DType::kQ6_K};

TEST(WeightTypes, NamesFollowTheType) {
  for (DType dtype : kRead) {
    const WeightType* type = FindWeight(dtype);
    ASSERT_NE(type, nullptr) << Name(dtype);
    EXPECT_EQ(type->library, StrCat("linear_", Name(dtype)));
    EXPECT_EQ(type->matvec, StrCat("matvec_", Name(dtype)));
    EXPECT_EQ(type->matmat, StrCat("matmat_", Name(dtype)));
    EXPECT_EQ(type->embed, StrCat("embed_", Name(dtype)));
  }
}

// kMaxRows of shaders/linear.h, and groups that every pipeline takes.
TEST(WeightTypes, RowsFitTheShader) {
  for (DType dtype : kRead) {
    EXPECT_GE(FindWeight(dtype)->rows, 1);
    EXPECT_LE(FindWeight(dtype)->rows, 4);
    EXPECT_LE(32 * FindWeight(dtype)->simdgroups, 256);
  }
}

TEST(WeightTypes, OthersAreNotRead) {
  EXPECT_EQ(FindWeight(DType::kQ5_K), nullptr);
  EXPECT_EQ(FindWeight(DType::kI32), nullptr);
}

}  // namespace
}  // namespace infer::metal
