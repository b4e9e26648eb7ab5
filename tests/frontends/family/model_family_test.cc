// SPDX-License-Identifier: Apache-2.0
//
// A made-up architecture, as one record: what a new folder in frontends/ would define. It is found,
// lowered, compiled and rendered without a line elsewhere.
#include "frontends/family/model_family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/backends.h"
#include "frontends/families.h"
#include "frontends/family/model_weights.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
#include "tests/frontends/qwen3/toy_model.h"
#include "tests/support/gguf_writer.h"
#include "tools/api/compile_model.h"
#include "tools/api/model_file.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kHidden = 8;

absl::StatusOr<ModelConfig> ReadEchoConfig(const GgufFile& file) {
  ModelConfig config{.name = "echo", .layers = 0, .context = 32};
  ASSIGN_OR_RETURN(config.vocabulary, file.metadata().GetUint32("echo.vocabulary"));
  return config;
}

// Each token predicts the token whose row is most like its own.
absl::StatusOr<Graph> LowerEcho(const GgufFile& file, const WeightSource& source,
                                const LowerOptions&) {
  ASSIGN_OR_RETURN(ModelConfig config, ReadEchoConfig(file));
  Graph graph("echo");
  GraphBuilder b(&graph);
  ModelWeights weights(b, source);
  Value tokens = graph.AddInput("tokens", ValueType::Tensor(DType::kI32, {Symbol::kT}))->output();
  Value batch = graph.AddInput("batch", ValueType::Batch())->output();
  Value embd = weights.Matrix("token_embd.weight", config.vocabulary, kHidden);
  Value x = ops::Embed(b.In("embed"), embd, tokens);
  Value last = ops::SelectRows(b.In("output/rows"), x, batch);
  Value logits = ops::Linear(b.In("output/logits"), last, embd);
  RETURN_IF_ERROR(b.status());
  RETURN_IF_ERROR(weights.CheckAllUsed("echo"));
  graph.AddResult(logits);
  return graph;
}

absl::StatusOr<MarkedText> RenderEcho(std::span<const ChatMessage> messages, const ChatOptions&) {
  MarkedText prompt;
  for (const ChatMessage& message : messages) {
    prompt.AppendTrusted(message.role + ">");
    prompt.Append(message.content, /*from_request=*/true);
  }
  return prompt;
}

constexpr std::string_view kArchitectures[] = {"echo", "echo2"};
constexpr ModelFamily kEcho = {
    .name = "echo",
    .architectures = kArchitectures,
    .read_config = ReadEchoConfig,
    .lower = LowerEcho,
    .check_tokenizer = CheckTokenizerFits,
    .chat = {.name = "Echo",
             .render = RenderEcho,
             .reproduces = [](std::string_view) { return true; },
             .thought_start = ""},
    .sampling = {},
    .sampling_without_thinking = {},
};

test::GgufImage EchoModel(std::string_view architecture) {
  test::GgufImage image;
  test::SetText(image, "general.architecture", architecture);
  test::SetU32(image, "echo.vocabulary", 12);
  image.AddTensor("token_embd.weight", {kHidden, 12}, test::kTensorF32,
                  std::string(kHidden * 12 * 4, '\0'));
  return image;
}

class MadeUpFamily : public ::testing::Test {
 protected:
  absl::StatusOr<ModelFile> Open(const test::GgufImage& image,
                                 std::span<const ModelFamily* const> families) {
    return ModelFile::Open(dir_.Write("echo.gguf", image.Bytes()), families);
  }

  test::ScratchDir dir_;
  std::vector<const ModelFamily*> families_ = {AllFamilies().begin(), AllFamilies().end()};
};

TEST_F(MadeUpFamily, IsFoundByEachOfItsArchitectures) {
  families_.push_back(&kEcho);
  for (std::string_view architecture : kArchitectures) {
    absl::StatusOr<ModelFile> model = Open(EchoModel(architecture), families_);
    ASSERT_TRUE(model.ok()) << model.status();
    absl::StatusOr<const ModelFamily*> family = model->Family();
    ASSERT_TRUE(family.ok()) << family.status();
    EXPECT_EQ(*family, &kEcho);
    EXPECT_EQ(model->ReadConfig()->vocabulary, 12);
    ChatMessage hello{
        .role = "user", .content = "hello", .reasoning_content = {}, .tool_calls = {}};
    EXPECT_EQ((*family)->chat.render({&hello, 1}, {})->text(), "user>hello");
  }
}

TEST_F(MadeUpFamily, CompilesLikeAnyOther) {
  families_.push_back(&kEcho);
  absl::StatusOr<ModelFile> model = Open(EchoModel("echo"), families_);
  ASSERT_TRUE(model.ok()) << model.status();
  absl::StatusOr<Program> program =
      CompileModel(*model, *MakeKernelRegistry(), {.policy = "scalar"});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->symbols[Symbol::kS].max, 32);
  EXPECT_EQ(program->regimes.front().graph.name(), "echo");
}

TEST_F(MadeUpFamily, IsUnknownWithoutItsLine) {
  absl::StatusOr<ModelFile> model = Open(EchoModel("echo"), families_);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(std::string(model->Family().status().message()),
              HasSubstr("the model is of architecture \"echo\"; this runtime runs \"qwen3\""));
}

TEST(Families, EachIsComplete) {
  for (const ModelFamily* family : AllFamilies()) {
    EXPECT_FALSE(family->name.empty());
    EXPECT_FALSE(family->architectures.empty()) << family->name;
    EXPECT_TRUE(family->read_config && family->lower && family->check_tokenizer) << family->name;
    EXPECT_TRUE(family->chat.render && family->chat.reproduces) << family->name;
    EXPECT_FALSE(family->chat.name.empty()) << family->name;
  }
}

}  // namespace
}  // namespace infer
