// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Inspect(std::vector<std::string> args) {
  args.push_back(BundledModelPath());
  return OutputOf("gguf-inspect", std::move(args));
}

TEST(GgufInspectTool, ShowsAFile) {
  std::string text = Inspect({});
  EXPECT_THAT(text, HasSubstr("architecture qwen3"));
  EXPECT_THAT(text, HasSubstr("5,771,264"));
  EXPECT_EQ(Inspect({"--key", "general.architecture"}), "qwen3");
  std::string some = Inspect({"--tensors", "--grep", "attn_q\\.weight"});
  EXPECT_THAT(some, HasSubstr("blk.5.attn_q.weight"));
  EXPECT_THAT(some, Not(HasSubstr("attn_k")));
  EXPECT_THAT(Inspect({"--tokenizer", "--grep", "im_end"}), HasSubstr("4091"));
  EXPECT_THAT(Inspect({"--template"}), HasSubstr("<|im_start|>"));
}

TEST(GgufInspectTool, SpeaksJsonAndCsv) {
  for (const char* mode : {"", "verify", "hash"}) {
    std::vector<std::string> args = {"--format", "json"};
    if (*mode) args.insert(args.begin(), mode);
    nlohmann::json json = nlohmann::json::parse(Inspect(args), nullptr, false);
    ASSERT_TRUE(json.is_object()) << mode;
    EXPECT_EQ(json["schema_version"], 1) << mode;
  }
  std::string csv = Inspect({"--tensors", "--format", "csv"});
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 69) << "a header and 68 tensors";
}

TEST(GgufInspectTool, VerifiesAndHashes) {
  EXPECT_THAT(Inspect({"verify"}), HasSubstr("tiny-tales-q8_0.gguf: ok\n"));
  std::string sampled = Inspect({"hash"});
  EXPECT_THAT(sampled, StartsWith("header (xxh3-128)"));
  EXPECT_THAT(sampled, HasSubstr("blk.5.ffn_up.weight"));
  EXPECT_NE(Inspect({"hash", "--full"}), sampled);
  TempDir dir;
  WriteFile(dir.Path("cut.gguf"), ReadFile(BundledModelPath()).substr(0, 3000000));
  CapturedRun cut = RunNamed("gguf-inspect", {"verify", dir.Path("cut.gguf")});
  EXPECT_EQ(cut.code, 3);
  EXPECT_EQ(cut.out, "");
  EXPECT_THAT(cut.err, StartsWith("error: "));
}

TEST(GgufInspectTool, RefusesWhatNoFileCouldAnswer) {
  auto expect = [](std::vector<std::string> args, int code, const std::string& message) {
    CapturedRun run = RunNamed("gguf-inspect", args);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr(message));
  };
  expect({}, 2, "FILE");
  expect({BundledModelPath(), "--grep", "("}, 2, "--grep");
  expect({BundledModelPath(), "--format", "csv"}, 2, "one table");
  expect({BundledModelPath(), "--format", "csv", "--tensors", "--metadata"}, 2, "one table");
  expect({BundledModelPath(), "--key", "nope"}, 3, "nope");
  expect({"/nonexistent"}, 3, "/nonexistent");
}

}  // namespace
}  // namespace infer
