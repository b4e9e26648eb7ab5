// SPDX-License-Identifier: Apache-2.0
#include "frontends/llama/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/gguf/weights.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "ir/verify/verifier.h"
#include "tests/frontends/qwen3/toy_model.h"

namespace infer {
namespace {

using test::GgufImage;
using test::ToyNeighbour;
using ::testing::HasSubstr;

absl::StatusOr<Graph> LowerImage(const GgufImage& image, const LowerOptions& options = {}) {
  test::OpenedImage opened(image);
  absl::StatusOr<DecoderConfig> config = ReadDecoderConfig(*opened.file, "llama");
  if (!config.ok()) return config.status();
  return LowerLlama(*config, GgufWeights(opened.file), options);
}

std::string ErrorOf(const GgufImage& image) {
  absl::StatusOr<Graph> graph = LowerImage(image);
  if (graph.ok()) return "";
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(ToStd(graph.status().message()));
}

const Node* NodeAt(const Graph& graph, const std::string& scope) {
  for (const Node* node : graph.nodes()) {
    if (node->scope() == scope) return node;
  }
  return nullptr;
}

void AddFactors(GgufImage& image, std::vector<float> factors, uint64_t count) {
  std::string bytes(reinterpret_cast<const char*>(factors.data()), factors.size() * sizeof(float));
  image.AddTensor("rope_freqs.weight", {count}, test::kTensorF32, bytes);
}

TEST(LowerLlama, RotatesAdjacentPairs) {
  absl::StatusOr<Graph> graph = LowerImage(ToyNeighbour("llama"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(Verify(*graph), absl::OkStatus());
  for (const char* scope : {"layer.0/attn/q_rope", "layer.0/attn/k_rope"}) {
    const ops::RopeParams rope = ops::RopeParamsOf(NodeAt(*graph, scope)->attrs());
    EXPECT_TRUE(rope.adjacent);
    EXPECT_TRUE(rope.factors.empty());
    EXPECT_EQ(rope.base, 1000.0);
  }
}

TEST(LowerLlama, DividesAnglesByTheFilesFactors) {
  GgufImage image = ToyNeighbour("llama");
  AddFactors(image, {1, 1.5f, 8}, 3);
  absl::StatusOr<Graph> graph = LowerImage(image);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(Verify(*graph), absl::OkStatus());
  for (const char* scope : {"layer.0/attn/q_rope", "layer.0/attn/k_rope"}) {
    EXPECT_THAT(ops::RopeParamsOf(NodeAt(*graph, scope)->attrs()).factors,
                ::testing::ElementsAre(1, 1.5, 8));
  }
}

TEST(LowerLlama, RefusesFactorsThatDoNotFit) {
  GgufImage image = ToyNeighbour("llama");
  AddFactors(image, {1, 2}, 2);
  EXPECT_EQ(ErrorOf(image),
            "toy.gguf: tensor rope_freqs.weight has shape [2], the metadata asks for [3]");
  image = ToyNeighbour("llama");
  AddFactors(image, {1, 0, 8}, 3);
  EXPECT_THAT(ErrorOf(image), HasSubstr("rope: factors must be positive and finite"));
  image = ToyNeighbour("llama");
  AddFactors(image, {1, 2, 8}, 3);
  test::SetTensor(image, "rope_freqs.weight", {3}, test::kTensorF16);
  EXPECT_EQ(ErrorOf(image), "toy.gguf: tensor rope_freqs.weight is of type f16, expected f32");
}

TEST(LowerLlama, RefusesExpertsAndBiases) {
  for (const char* name : {"blk.0.ffn_gate_inp.weight", "blk.0.attn_q.bias"}) {
    GgufImage image = ToyNeighbour("llama");
    image.AddTensor(name, {8}, test::kTensorF32, std::string(32, '\0'));
    EXPECT_THAT(ErrorOf(image), HasSubstr("is not part of a dense Llama of this many layers"));
  }
}

TEST(LowerLlama, IsTiedOrNot) {
  for (bool tied : {true, false}) {
    test::ToyShape shape;
    shape.tied = tied;
    absl::StatusOr<Graph> graph = LowerImage(ToyNeighbour("llama", shape));
    ASSERT_TRUE(graph.ok()) << graph.status();
    const Node& output = *graph->results()[0].node->input(1).node;
    EXPECT_EQ(WeightName(output), tied ? "token_embd.weight" : "output.weight");
  }
}

TEST(LowerLlama, GivesVectorsInsteadOfLogitsIfAsked) {
  test::ToyShape shape;
  shape.tied = false;
  LowerOptions options;
  options.vectors = true;
  absl::StatusOr<Graph> graph = LowerImage(ToyNeighbour("llama", shape), options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->results()[0].node->result().origin, "output/norm");
  EXPECT_EQ(graph->results()[0].type().dim(1).value(), 8);
}

// Every tensor of the model: left out, or with one element more.
TEST(LowerLlama, RefusesEveryTensorThatIsMissingOrMisshapen) {
  const GgufImage whole = ToyNeighbour("llama");
  for (const test::ImageTensor& tensor : whole.tensors) {
    GgufImage image = whole;
    test::RemoveTensor(image, tensor.name);
    EXPECT_THAT(ErrorOf(image), HasSubstr(StrCat("tensor ", tensor.name, " is missing")));
    GgufImage longer = whole;
    std::vector<uint64_t> dims = tensor.dims;
    ++dims[0];
    test::SetTensor(longer, tensor.name, dims);
    EXPECT_THAT(ErrorOf(longer), HasSubstr(StrCat("tensor ", tensor.name, " has shape")));
  }
}

}  // namespace
}  // namespace infer
