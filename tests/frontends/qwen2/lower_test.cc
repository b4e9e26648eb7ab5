// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen2/lower.h"

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

absl::StatusOr<Graph> LowerQwen2Image(const GgufImage& image, const LowerOptions& options = {}) {
  test::OpenedImage opened(image);
  absl::StatusOr<DecoderConfig> config = ReadDecoderConfig(*opened.file, "qwen2");
  if (!config.ok()) return config.status();
  return LowerQwen2(*config, GgufWeights(opened.file), options);
}

std::string Qwen2Error(const GgufImage& image) {
  absl::StatusOr<Graph> graph = LowerQwen2Image(image);
  if (graph.ok()) return "";
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(ToStd(graph.status().message()));
}

const Node* Qwen2Node(const Graph& graph, const std::string& scope) {
  for (const Node* node : graph.nodes()) {
    if (node->scope() == scope) return node;
  }
  return nullptr;
}

TEST(LowerQwen2, AddsABiasToEachOfQKAndV) {
  absl::StatusOr<Graph> graph = LowerQwen2Image(ToyNeighbour("qwen2"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(Verify(*graph), absl::OkStatus());
  for (const char* part : {"q", "k", "v"}) {
    const Node* bias = Qwen2Node(*graph, StrCat("layer.0/attn/", part, "_bias"));
    ASSERT_NE(bias, nullptr);
    EXPECT_TRUE(bias->Is(ops::kAdd));
    EXPECT_EQ(bias->input(0).node->scope(), StrCat("layer.0/attn/", part, "_proj"));
    EXPECT_EQ(WeightName(*bias->input(1).node), StrCat("blk.0.attn_", part, ".bias"));
  }
  EXPECT_FALSE(ops::RopeParamsOf(Qwen2Node(*graph, "layer.0/attn/q_rope")->attrs()).adjacent);
}

TEST(LowerQwen2, RefusesABiasThatIsMissingMisshapenOrQuantised) {
  GgufImage image = ToyNeighbour("qwen2");
  test::RemoveTensor(image, "blk.0.attn_k.bias");
  EXPECT_EQ(Qwen2Error(image), "toy.gguf: tensor blk.0.attn_k.bias is missing; expected shape [6]");
  image = ToyNeighbour("qwen2");
  test::SetTensor(image, "blk.0.attn_q.bias", {6});
  EXPECT_THAT(Qwen2Error(image), HasSubstr("tensor blk.0.attn_q.bias has shape [6]"));
  image = ToyNeighbour("qwen2");
  test::SetTensor(image, "blk.0.attn_v.bias", {6}, test::kTensorF16);
  EXPECT_THAT(Qwen2Error(image), HasSubstr("norms and biases are never quantised"));
}

TEST(LowerQwen2, RefusesTheNormsOfQwen3) {
  GgufImage image = ToyNeighbour("qwen2");
  image.AddTensor("blk.0.attn_q_norm.weight", {6}, test::kTensorF32, std::string(24, '\0'));
  EXPECT_THAT(Qwen2Error(image),
              HasSubstr("blk.0.attn_q_norm.weight is not part of a dense Qwen2 of this many"));
}

TEST(LowerQwen2, IsTiedOrNot) {
  for (bool tied : {true, false}) {
    test::ToyShape shape;
    shape.tied = tied;
    absl::StatusOr<Graph> graph = LowerQwen2Image(ToyNeighbour("qwen2", shape));
    ASSERT_TRUE(graph.ok()) << graph.status();
    const Node& output = *graph->results()[0].node->input(1).node;
    EXPECT_EQ(WeightName(output), tied ? "token_embd.weight" : "output.weight");
  }
}

TEST(LowerQwen2, GivesVectorsInsteadOfLogitsIfAsked) {
  test::ToyShape shape;
  shape.tied = false;
  LowerOptions options;
  options.vectors = true;
  absl::StatusOr<Graph> graph = LowerQwen2Image(ToyNeighbour("qwen2", shape), options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->results()[0].node->result().origin, "output/norm");
  EXPECT_EQ(graph->results()[0].type().dim(1).value(), 8);
}

// Every tensor of the model: left out, or with one element more.
TEST(LowerQwen2, RefusesEveryTensorThatIsMissingOrMisshapen) {
  const GgufImage whole = ToyNeighbour("qwen2");
  for (const test::ImageTensor& tensor : whole.tensors) {
    GgufImage image = whole;
    test::RemoveTensor(image, tensor.name);
    EXPECT_THAT(Qwen2Error(image), HasSubstr(StrCat("tensor ", tensor.name, " is missing")));
    GgufImage longer = whole;
    std::vector<uint64_t> dims = tensor.dims;
    ++dims[0];
    test::SetTensor(longer, tensor.name, dims);
    EXPECT_THAT(Qwen2Error(longer), HasSubstr(StrCat("tensor ", tensor.name, " has shape")));
  }
}

}  // namespace
}  // namespace infer
