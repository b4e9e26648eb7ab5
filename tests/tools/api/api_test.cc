// SPDX-License-Identifier: Apache-2.0
//
// The public header alone, as a program of someone else sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <infer/infer.h>

#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kModelPath = INFER_SOURCE_DIR "/tools/assets/tiny-tales-q8_0.gguf";

class Api : public ::testing::Test {
 protected:
  void SetUp() override {
    infer::Result<infer::Model> model = infer::Model::Load(kModelPath);
    ASSERT_TRUE(model.ok()) << model.error().message;
    model_ = model.value();
  }
  // A policy that gives the same text on every machine.
  static infer::CompileOptions Scalar() {
    infer::CompileOptions options;
    options.policy = "scalar";
    return options;
  }
  infer::Session MakeSession(const infer::CompileOptions& options = Scalar()) {
    infer::Result<infer::Program> program = infer::Compile(*model_, options);
    EXPECT_TRUE(program.ok()) << program.error().message;
    infer::Result<infer::Session> session = infer::Session::Create(*model_, program.value());
    EXPECT_TRUE(session.ok()) << session.error().message;
    return session.value();
  }

  std::optional<infer::Model> model_;
};

infer::GenerateOptions Greedy(int64_t tokens) {
  infer::GenerateOptions options;
  options.max_tokens = tokens;
  options.temperature = 0;
  return options;
}

std::string TextOf(infer::Sequence& sequence, const std::string& prompt,
                   const infer::GenerateOptions& options) {
  infer::Result<infer::Generation> made = sequence.Generate(prompt, options);
  return made.ok() ? made.value().text : "error: " + made.error().message;
}

TEST_F(Api, KnowsItsModel) {
  EXPECT_EQ(model_->name(), "tiny-tales");
  EXPECT_EQ(model_->vocabulary(), 4096);
  EXPECT_EQ(model_->context(), 2048);
  EXPECT_EQ(model_->family(), "qwen3");
}

TEST_F(Api, FindsTheBundledModel) {
  infer::Result<infer::Model> bundled = infer::Model::LoadBundled();
  ASSERT_TRUE(bundled.ok()) << bundled.error().message;
  EXPECT_EQ(bundled.value().name(), model_->name());
}

TEST_F(Api, SaysWhereEachNodeRunsAndWhy) {
  infer::CompileOptions options = Scalar();
  options.overrides = {"name=layer.1/ffn/down_proj=simd"};
  infer::Result<infer::Program> program = infer::Compile(*model_, options);
  ASSERT_TRUE(program.ok()) << program.error().message;
  const std::vector<infer::PlacedNode> nodes = program.value().Placement();
  ASSERT_FALSE(nodes.empty());
  int64_t moved = 0;
  for (const infer::PlacedNode& node : nodes) {
    EXPECT_LE(node.min_tokens, node.max_tokens);
    EXPECT_FALSE(node.kernel.empty()) << node.name;
    const bool move = node.name == "layer.1/ffn/down_proj";
    EXPECT_EQ(node.target, move ? "simd" : "scalar") << node.name;
    EXPECT_THAT(node.decided_by, HasSubstr(move ? "given on the command line" : "policy scalar"))
        << node.name;
    EXPECT_EQ(node.layer >= 0, node.name.starts_with("layer.")) << node.name;
    moved += move;
  }
  EXPECT_GT(moved, 0);
  EXPECT_EQ(nodes.front().min_tokens, 1);
}

TEST_F(Api, EncodesAndDecodes) {
  infer::Result<std::vector<int32_t>> ids = model_->Encode("Hello world<|im_end|>");
  ASSERT_TRUE(ids.ok());
  EXPECT_THAT(ids.value(), ::testing::ElementsAre(3302, 847, 4091));
  EXPECT_EQ(model_->Decode(ids.value()).value(), "Hello world<|im_end|>");
  infer::Result<std::string> outside = model_->Decode({4096});
  ASSERT_FALSE(outside.ok());
  EXPECT_EQ(outside.error().code, 3);
}

TEST_F(Api, GeneratesInPieces) {
  infer::Session session = MakeSession();
  std::string pieces;
  infer::GenerateOptions options = Greedy(16);
  options.on_text = [&](std::string_view piece) {
    pieces += piece;
    return true;
  };
  infer::Result<infer::Generation> made = session.Generate("Once upon a time", options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_THAT(made.value().text, StartsWith(", a playful hamster named Tilly"));
  EXPECT_EQ(pieces, made.value().text);
  EXPECT_EQ(TextOf(session, "Once upon a time", Greedy(16)), made.value().text);
}

TEST_F(Api, ACallbackEndsTheText) {
  infer::Session session = MakeSession();
  infer::GenerateOptions options = Greedy(16);
  options.on_text = [](std::string_view) { return false; };
  infer::Generation made = session.Generate("Once upon a time", options).value();
  EXPECT_LT(made.text.size(), 12u);
  EXPECT_EQ(made.reason, infer::StopReason::kCallback);
  options = Greedy(64);
  options.stop = {" hamster"};
  EXPECT_EQ(TextOf(session, "Once upon a time", options), ", a playful");
  EXPECT_NE(TextOf(session, "", Greedy(4)), "");
}

TEST_F(Api, TheSeedDecidesTheText) {
  infer::Session session = MakeSession();
  infer::GenerateOptions options;
  options.max_tokens = 48;
  options.temperature = 1;
  options.seed = 1;
  std::string first = TextOf(session, "Once upon a time", options);
  EXPECT_EQ(TextOf(session, "Once upon a time", options), first);
  options.seed = 2;
  EXPECT_NE(TextOf(session, "Once upon a time", options), first);
}

TEST_F(Api, AProgramIsStoredAndLoaded) {
  infer::Result<infer::Program> program = infer::Compile(*model_);
  ASSERT_TRUE(program.ok());
  EXPECT_THAT(program.value().ToText(), HasSubstr("graph @qwen3"));
  std::string bytes = program.value().Serialize().value();
  std::string path = ::testing::TempDir() + "/api_test.infer.pb";
  std::ofstream(path, std::ios::binary) << bytes;
  infer::Result<infer::Program> loaded = infer::Program::Load(path);
  std::remove(path.c_str());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded.value().Serialize().value(), bytes);
  infer::Session session = infer::Session::Create(*model_, loaded.value()).value();
  EXPECT_EQ(TextOf(session, "Once", Greedy(3)), " upon a time");
}

TEST_F(Api, ObjectsShareWhatTheyNeed) {
  infer::Session session = MakeSession();
  model_.reset();
  EXPECT_EQ(TextOf(session, "Once", Greedy(3)), " upon a time");
}

TEST_F(Api, ErrorsHaveTheCodesOfTheTools) {
  infer::Result<infer::Model> missing = infer::Model::Load("/nonexistent.gguf");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, 3);
  EXPECT_THAT(missing.error().message, HasSubstr("/nonexistent.gguf"));
  EXPECT_EQ(infer::Model::Load("").error().code, 2);
  EXPECT_EQ(infer::Program::Load(kModelPath).error().code, 3);

  infer::CompileOptions compile;
  compile.policy = "nope";
  EXPECT_EQ(infer::Compile(*model_, compile).error().code, 3);
  compile.policy = "";
  compile.context = 99999;
  EXPECT_EQ(infer::Compile(*model_, compile).error().code, 2);

  compile.context = 3;
  infer::Session session = MakeSession(compile);
  EXPECT_EQ(session.Generate("Once upon a time").error().code, 4);
  infer::GenerateOptions options;
  options.temperature = -1;
  EXPECT_EQ(session.Generate("Once", options).error().code, 2);
  options = {};
  options.stop = {""};
  EXPECT_EQ(session.Generate("Once", options).error().code, 2);
  options = {};
  options.max_tokens = -1;
  EXPECT_EQ(session.Generate("Once", options).error().code, 2);
}

TEST_F(Api, AProgramBelongsToItsWeights) {
  infer::Result<infer::Model> other = infer::Model::Load(INFER_TEST_DATA "/tiny-tales-f16.gguf");
  ASSERT_TRUE(other.ok()) << other.error().message;
  infer::Result<infer::Session> session =
      infer::Session::Create(other.value(), infer::Compile(*model_).value());
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().code, 3);
}

TEST_F(Api, CompileOptionsOutOfRangeAreRefused) {
  for (int64_t chunk : {int64_t{0}, int64_t{-1}}) {
    infer::CompileOptions options;
    options.chunk = chunk;
    infer::Result<infer::Program> program = infer::Compile(*model_, options);
    ASSERT_FALSE(program.ok());
    EXPECT_EQ(program.error().code, 2);
  }
  infer::CompileOptions options;
  options.context = -1;
  EXPECT_EQ(infer::Compile(*model_, options).error().code, 2);
}

}  // namespace
