// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/weight_type.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace infer {
namespace {

std::string Column(std::string_view type, MatrixRole role, uint32_t layers) {
  std::string text;
  for (uint32_t layer = 0; layer < layers; ++layer) {
    text += Name(MatrixDType(*FindWeightType(type), role, layer, layers, true));
    text += ' ';
  }
  return text;
}

// What llama.cpp's quantizer made of a Qwen3 model with 6 layers and tied embeddings.
TEST(WeightType, MixesAreThoseOfLlamaCpp) {
  EXPECT_EQ(Column("q4_k_m", MatrixRole::kAttentionV, 6), "q4_k q4_k q6_k q4_k q4_k q6_k ");
  EXPECT_EQ(Column("q4_k_m", MatrixRole::kFfnDown, 6), "q4_k q4_k q6_k q4_k q4_k q6_k ");
  EXPECT_EQ(Column("q4_k_m", MatrixRole::kAttentionOutput, 2), "q4_k q4_k ");
  EXPECT_EQ(Column("q4_k_m", MatrixRole::kToken, 1), "q6_k ");
  EXPECT_EQ(Column("q5_k_m", MatrixRole::kAttentionV, 6), "q5_k q5_k q6_k q5_k q5_k q6_k ");
  EXPECT_EQ(Column("q5_k_m", MatrixRole::kFfnDown, 6), "q5_k q5_k q6_k q5_k q5_k q6_k ");
  EXPECT_EQ(Column("q3_k_m", MatrixRole::kAttentionV, 6), "q5_k q5_k q4_k q4_k q4_k q4_k ");
  EXPECT_EQ(Column("q3_k_m", MatrixRole::kFfnDown, 6), "q4_k q4_k q4_k q4_k q4_k q4_k ");
  EXPECT_EQ(Column("q3_k_m", MatrixRole::kAttentionOutput, 2), "q4_k q4_k ");
  EXPECT_EQ(Column("q3_k_m", MatrixRole::kOther, 2), "q3_k q3_k ");
}

TEST(WeightType, UntiedTokenMatrixKeepsTheTypeAndOutputIsLifted) {
  const WeightType type = *FindWeightType("q4_k_m");
  EXPECT_EQ(MatrixDType(type, MatrixRole::kToken, 0, 36, false), DType::kQ4_K);
  EXPECT_EQ(MatrixDType(type, MatrixRole::kOutput, 0, 36, false), DType::kQ6_K);
}

TEST(WeightType, PureTypesAreInEveryMatrix) {
  for (const WeightType& type : AllWeightTypes()) {
    if (type.mix != WeightMix::kPure) continue;
    EXPECT_EQ(type.name, Name(type.dtype));
    EXPECT_EQ(MatrixDType(type, MatrixRole::kToken, 0, 2, true), type.dtype);
    EXPECT_EQ(MatrixDType(type, MatrixRole::kFfnDown, 1, 2, true), type.dtype);
  }
}

TEST(WeightType, FileTypesAreDistinct) {
  std::set<uint32_t> seen;
  for (const WeightType& type : AllWeightTypes()) {
    EXPECT_TRUE(seen.insert(type.file_type).second) << type.name;
  }
  EXPECT_FALSE(FindWeightType("q9_k").has_value());
}

}  // namespace
}  // namespace infer
