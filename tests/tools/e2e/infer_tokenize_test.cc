// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using testing::HasSubstr;

std::string Tokenize(std::vector<std::string> args) {
  return OutputOf("infer-tokenize", std::move(args));
}

TEST(InferTokenize, PrintsIdsOfStdin) {
  {
    StdinText text("Hello world");
    EXPECT_EQ(Tokenize({"-m", BundledModelPath(), "--ids", "-"}), "3302,847\n");
  }
  StdinText text("Hello world");
  EXPECT_EQ(Tokenize({"--ids"}), "3302,847\n");
}

TEST(InferTokenize, TakesTheTextFromFlagOrFile) {
  TempDir dir;
  WriteFile(dir.Path("text"), "Hello world");
  EXPECT_EQ(Tokenize({"--ids", "-p", "Hello world"}), "3302,847\n");
  EXPECT_EQ(Tokenize({"--ids", "-f", dir.Path("text")}), "3302,847\n");
  EXPECT_EQ(Tokenize({dir.Path("text")}), "3302\tHello\n847\t world\n");
}

TEST(InferTokenize, SpecialTokensAreTextIfAsked) {
  EXPECT_EQ(Tokenize({"--ids", "-p", "<|im_end|>"}), "4091\n");
  EXPECT_EQ(Tokenize({"--decode", "4091"}), "<|im_end|>");
  std::string plain = Tokenize({"--ids", "--no-special", "-p", "<|im_end|>"});
  EXPECT_NE(plain, "4091\n");
  plain.pop_back();
  EXPECT_EQ(Tokenize({"--decode", plain}), "<|im_end|>");
}

TEST(InferTokenize, JsonHasIdsAndPieces) {
  nlohmann::json json =
      nlohmann::json::parse(Tokenize({"-p", "Hello world", "--format", "json"}), nullptr, false);
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["ids"], (std::vector<int>{3302, 847}));
  EXPECT_EQ(json["tokens"][1]["piece"], " world");
}

TEST(InferTokenize, ReadsAFileWithoutWeights) {
  EXPECT_EQ(Tokenize({"-m", TestData("qwen3-vocab.gguf"), "--ids", "-p", "Hello world"}),
            "9707,1879\n");
}

TEST(InferTokenize, RefusesWhatItCannotRead) {
  auto expect = [](std::vector<std::string> args, int code, const std::string& message) {
    CapturedRun run = RunNamed("infer-tokenize", args);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr(message));
  };
  expect({"--decode", "1,x"}, 2, "item 2 is \"x\"");
  expect({"--decode", "4096"}, 3, "4096");
  expect({"-p", "x", "-f", "y"}, 2, "one of");
  expect({"-p", "x", "y"}, 2, "one of");
  expect({"-p", "x", "--decode", "1"}, 2, "one of");
  expect({"/nonexistent"}, 3, "/nonexistent");
  expect({"-m", "/nonexistent", "-p", "x"}, 3, "/nonexistent");
}

}  // namespace
}  // namespace infer
