// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen3/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "frontends/gguf/weights.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "tests/frontends/qwen3/toy_model.h"

namespace infer {
namespace {

using test::GgufImage;
using test::ToyModel;
using test::ToyShape;
using ::testing::HasSubstr;

absl::StatusOr<Graph> Lower(std::shared_ptr<const GgufFile> file, const LowerOptions& options) {
  absl::StatusOr<Qwen3Config> config = ReadQwen3Config(*file);
  if (!config.ok()) return config.status();
  return LowerQwen3(*config, GgufWeights(file), options);
}

absl::StatusOr<Graph> LowerQwen3Image(const GgufImage& image, const LowerOptions& options = {}) {
  return Lower(test::OpenedImage(image).file, options);
}

std::string Qwen3Error(const GgufImage& image, const LowerOptions& options = {}) {
  absl::StatusOr<Graph> graph = LowerQwen3Image(image, options);
  if (graph.ok()) return "";
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(ToStd(graph.status().message()));
}

// The whole model, once, to be read. If it changes on purpose, the text that this test prints is
// the new file.
TEST(LowerQwen3, WritesTheToyModelThisWay) {
  std::ifstream file(INFER_TEST_DATA "/qwen3_toy.graph");
  std::string expected{std::istreambuf_iterator<char>(file), {}};
  absl::StatusOr<Graph> graph = LowerQwen3Image(ToyModel());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(Verify(*graph), absl::OkStatus());
  EXPECT_TRUE(PrintGraph(*graph) == expected) << PrintGraph(*graph);
}

// A scope is where an override, a profile and a result by name find a node.
TEST(LowerQwen3, GivesEveryNodeThatComputesAScopeOfItsOwn) {
  absl::StatusOr<Graph> graph = LowerQwen3Image(ToyModel());
  ASSERT_TRUE(graph.ok()) << graph.status();
  std::set<std::string> scopes;
  for (const Node* node : graph->nodes()) {
    if (node->Is(ops::kInput) || node->Is(ops::kWeight)) continue;
    EXPECT_TRUE(scopes.insert(node->scope()).second) << node->scope();
    EXPECT_EQ(node->result().origin, node->scope());
  }
}

// Nodes of each op with this prefix of the scope.
std::map<std::string, int> OpsIn(const Graph& graph, std::string_view scope) {
  std::map<std::string, int> counts;
  for (const Node* node : graph.nodes()) {
    if (node->scope().starts_with(scope)) ++counts[std::string(node->op().name)];
  }
  return counts;
}

TEST(LowerQwen3, HasTheSameNodesInEachLayer) {
  ToyShape shape;
  shape.layers = 3;
  absl::StatusOr<Graph> graph = LowerQwen3Image(ToyModel(shape));
  ASSERT_TRUE(graph.ok()) << graph.status();
  // 21 nodes a layer that compute, and the layer's cache.
  std::map<std::string, int> expected = {
      {"add", 2}, {"attention", 1}, {"kv_state", 1}, {"kv_write", 1}, {"linear", 7},
      {"mul", 1}, {"reshape", 2},   {"rms_norm", 4}, {"rope", 2},     {"silu", 1}};
  for (int layer = 0; layer < 3; ++layer) {
    EXPECT_EQ(OpsIn(*graph, StrCat("layer.", layer, "/")), expected);
  }
  EXPECT_EQ(graph->NodesOf(ops::kWeight).size(), 3u * 11 + 2);
}

TEST(LowerQwen3, UsesTheTokenMatrixTwiceIfTied) {
  absl::StatusOr<Graph> tied = LowerQwen3Image(ToyModel());
  ASSERT_TRUE(tied.ok()) << tied.status();
  Node* logits = tied->results()[0].node;
  EXPECT_EQ(WeightName(*logits->input(1).node), "token_embd.weight");

  ToyShape shape;
  shape.tied = false;
  absl::StatusOr<Graph> untied = LowerQwen3Image(ToyModel(shape));
  ASSERT_TRUE(untied.ok()) << untied.status();
  logits = untied->results()[0].node;
  EXPECT_EQ(WeightName(*logits->input(1).node), "output.weight");
}

TEST(LowerQwen3, GivesTheCacheTheTypeAskedFor) {
  LowerOptions options;
  options.kv_type = DType::kF32;
  absl::StatusOr<Graph> graph = LowerQwen3Image(ToyModel(), options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->NodesOf(ops::kKvState)[0]->result().type, ValueType::Kv(DType::kF32, 1, 6));
}

TEST(LowerQwen3, AddsResultsByTheirOrigin) {
  LowerOptions options;
  options.extra_results = {"layer.0/ffn/residual", "embed", "output/norm"};
  absl::StatusOr<Graph> graph = LowerQwen3Image(ToyModel(), options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_EQ(graph->results().size(), 4u);
  EXPECT_EQ(graph->results()[0].node->result().origin, "output/logits");
  EXPECT_EQ(graph->results()[1].node->result().origin, "layer.0/ffn/residual");
  EXPECT_EQ(graph->results()[2].node->result().origin, "embed");
  EXPECT_EQ(graph->results()[3].node->result().origin, "output/norm");
  EXPECT_EQ(Verify(*graph), absl::OkStatus());
}

TEST(LowerQwen3, RefusesAResultThatDoesNotExist) {
  LowerOptions options;
  options.extra_results = {"layer.1/ffn/residual"};
  EXPECT_EQ(Qwen3Error(ToyModel(), options),
            "the graph has no value 'layer.1/ffn/residual'; layers are 0 to 0");
}

struct RealModel {
  const char* path;
  size_t layers;
  bool tied;
};
class RealFiles : public ::testing::TestWithParam<RealModel> {};

TEST_P(RealFiles, LowerAndVerify) {
  auto file = GgufFile::Open(std::string(INFER_SOURCE_DIR) + "/" + GetParam().path);
  ASSERT_TRUE(file.ok()) << file.status();
  absl::StatusOr<Graph> graph = Lower(*file, {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(Verify(*graph), absl::OkStatus());
  EXPECT_EQ(graph->NodesOf(ops::kAttention).size(), GetParam().layers);
  const Node& output = *graph->results()[0].node->input(1).node;
  EXPECT_EQ(WeightName(output) == "token_embd.weight", GetParam().tied);
  EXPECT_EQ(graph->NodesOf(ops::kWeight).size(), (*file)->tensors().size());
}

INSTANTIATE_TEST_SUITE_P(LowerQwen3, RealFiles,
                         ::testing::Values(RealModel{"tests/data/random_untied.gguf", 2, false},
                                           RealModel{"tests/data/random_wide_heads.gguf", 1, true},
                                           RealModel{"tests/data/random_odd_vocab.gguf", 4, true},
                                           RealModel{"tools/assets/tiny-tales-q8_0.gguf", 6,
                                                     true}));

// Every tensor of the model: left out, with one row more, of another rank.
TEST(LowerQwen3, RefusesEveryTensorThatIsMissingOrMisshapen) {
  ToyShape shape;
  shape.tied = false;
  const GgufImage whole = ToyModel(shape);
  for (const test::ImageTensor& tensor : whole.tensors) {
    // Without it, the model is tied.
    if (tensor.name != "output.weight") {
      GgufImage image = whole;
      test::RemoveTensor(image, tensor.name);
      EXPECT_THAT(Qwen3Error(image), HasSubstr(StrCat("tensor ", tensor.name, " is missing")));
    }
    GgufImage longer = whole;
    std::vector<uint64_t> dims = tensor.dims;
    ++dims[0];
    test::SetTensor(longer, tensor.name, dims);
    EXPECT_THAT(Qwen3Error(longer), HasSubstr(StrCat("tensor ", tensor.name, " has shape")));

    GgufImage flat = whole;
    dims = tensor.dims;
    if (dims.size() == 1) {
      dims.push_back(2);
    } else {
      dims.pop_back();
    }
    test::SetTensor(flat, tensor.name, dims);
    EXPECT_THAT(Qwen3Error(flat), HasSubstr(StrCat("tensor ", tensor.name, " has shape")));
  }
}

TEST(LowerQwen3, RefusesANormThatIsNotF32) {
  GgufImage image = ToyModel();
  test::SetTensor(image, "blk.0.attn_q_norm.weight", {6}, test::kTensorF16);
  EXPECT_EQ(Qwen3Error(image),
            "toy.gguf: tensor blk.0.attn_q_norm.weight is of type f16, expected f32: norms and "
            "biases are never quantised");
}

TEST(LowerQwen3, RefusesAMatrixOfIntegers) {
  GgufImage image = ToyModel();
  test::SetTensor(image, "blk.0.ffn_up.weight", {8, 10}, test::kTensorI32);
  EXPECT_EQ(Qwen3Error(image),
            "toy.gguf: tensor blk.0.ffn_up.weight is of type i32, expected f32, f16, bf16 or a "
            "quantised type");
}

TEST(LowerQwen3, TakesMatricesOfDifferentTypes) {
  ToyShape shape;
  shape.hidden = 32;
  GgufImage image = ToyModel(shape);
  test::SetTensor(image, "blk.0.attn_q.weight", {32, 12}, test::kTensorQ8_0);
  test::SetTensor(image, "blk.0.attn_k.weight", {32, 6}, test::kTensorF16);
  absl::StatusOr<Graph> graph = LowerQwen3Image(image);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(Verify(*graph), absl::OkStatus());
}

TEST(LowerQwen3, RefusesToGenerateWithAClassifier) {
  GgufImage image = ToyModel();
  image.AddTensor("cls.output.weight", {8, 2}, test::kTensorF32, std::string(64, '\0'));
  EXPECT_THAT(std::string(LowerQwen3Image(image).status().message()),
              HasSubstr("\"qwen3.classifier.output_labels\" is missing"));
  image.Set("qwen3.classifier.output_labels", test::kTypeArray,
            test::Array(test::kTypeString, {test::Text("yes"), test::Text("no")}));
  EXPECT_EQ(Qwen3Error(image),
            "toy is a reranker (tensor cls.output.weight): it scores documents and does not "
            "generate text");
  LowerOptions options;
  options.vectors = true;
  EXPECT_EQ(Qwen3Error(image, options), "");
}

TEST(LowerQwen3, RefusesFurtherTensors) {
  for (const char* name : {"blk.0.attn_q.bias", "blk.1.attn_norm.weight", "blk.00.ffn_up.weight",
                           "rope_freqs.weight", "output_norm.bias", "blk.0.\n"}) {
    GgufImage image = ToyModel();
    image.AddTensor(name, {8}, test::kTensorF32, std::string(32, '\0'));
    std::string error = Qwen3Error(image);
    EXPECT_THAT(error, HasSubstr("is not part of a dense Qwen3 of this many layers")) << name;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace infer
