// SPDX-License-Identifier: Apache-2.0
#include "frontends/family/model_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/gguf/weights.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "tests/frontends/qwen3/toy_model.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

// A file with the f32 vector "v" of 4, the f32 matrix "m" of 2 rows of 3 and the q8_0 matrix "q".
struct ModelWeightsTest : ::testing::Test {
  static test::GgufImage Image() {
    test::GgufImage image;
    test::SetText(image, "general.architecture", "qwen3");
    image.AddTensor("v", {4}, test::kTensorF32, std::string(16, '\0'));
    image.AddTensor("m", {3, 2}, test::kTensorF32, std::string(24, '\0'));
    image.AddTensor("q", {32, 2}, test::kTensorQ8_0, std::string(68, '\0'));
    image.AddTensor("i", {3, 2}, test::kTensorI32, std::string(24, '\0'));
    image.AddTensor("h", {4}, test::kTensorF16, std::string(8, '\0'));
    return image;
  }
  std::string Error() const { return std::string(ToStd(builder.status().message())); }

  test::OpenedImage opened{Image()};
  GgufWeights source{opened.file};
  Graph graph;
  GraphBuilder builder{&graph};
  ModelWeights weights{builder, source};
};

TEST_F(ModelWeightsTest, DeclaresMatricesAndVectors) {
  Value m = weights.Matrix("m", 2, 3);
  Value q = weights.Matrix("q", 2, 32);
  Value v = weights.Vector("v", 4);
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  EXPECT_EQ(m.type(), ValueType::F32({2, 3}));
  EXPECT_EQ(q.type(), ValueType::Tensor(DType::kQ8_0, {2, 32}));
  EXPECT_EQ(v.type(), ValueType::F32({4}));
  EXPECT_TRUE(m.node->Is(ops::kWeight));
  EXPECT_EQ(WeightName(*m.node), "m");
  EXPECT_EQ(m.node->result().name, "m");
  EXPECT_EQ(m.node->scope(), "");
}

TEST_F(ModelWeightsTest, RefusesAMissingTensor) {
  EXPECT_FALSE(weights.Matrix("x", 2, 3));
  EXPECT_EQ(Error(), "toy.gguf: tensor x is missing; expected shape [2,3]");
}

TEST_F(ModelWeightsTest, RefusesAnotherShape) {
  EXPECT_FALSE(weights.Matrix("m", 3, 2));
  EXPECT_EQ(Error(), "toy.gguf: tensor m has shape [2,3], the metadata asks for [3,2]");
}

TEST_F(ModelWeightsTest, RefusesAnotherRank) {
  EXPECT_FALSE(weights.Vector("m", 2));
  EXPECT_EQ(Error(), "toy.gguf: tensor m has shape [2,3], the metadata asks for [2]");
}

TEST_F(ModelWeightsTest, RefusesAMatrixOfIntegers) {
  EXPECT_FALSE(weights.Matrix("i", 2, 3));
  EXPECT_EQ(Error(),
            "toy.gguf: tensor i is of type i32, expected f32, f16, bf16 or a quantised type");
}

TEST_F(ModelWeightsTest, RefusesAVectorThatIsNotF32) {
  EXPECT_FALSE(weights.Vector("h", 4));
  EXPECT_EQ(
      Error(),
      "toy.gguf: tensor h is of type f16, expected f32: norms and biases are never quantised");
}

TEST_F(ModelWeightsTest, KeepsTheFirstError) {
  weights.Matrix("first", 2, 3);
  weights.Matrix("second", 2, 3);
  EXPECT_THAT(Error(), HasSubstr("tensor first"));
}

TEST_F(ModelWeightsTest, RefusesTensorsThatNobodyAskedFor) {
  for (const char* name : {"v", "h"}) weights.Vector(name, 4);
  weights.Matrix("m", 2, 3);
  weights.Matrix("q", 2, 32);
  EXPECT_THAT(weights.CheckAllUsed("dense Qwen3").ToString(),
              HasSubstr("toy.gguf: tensor i is not part of a dense Qwen3"));
  weights.Matrix("i", 2, 3);
  EXPECT_EQ(weights.CheckAllUsed("dense Qwen3"), absl::OkStatus());
}

}  // namespace
}  // namespace infer
