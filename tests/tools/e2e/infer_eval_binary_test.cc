// SPDX-License-Identifier: Apache-2.0
//
// An evaluation that gets a signal says of how much of the text its result is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "ir/base/strings.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::EndsWith;
using ::testing::MatchesRegex;

// Measures a text that takes minutes, and sends the signal later and later until a first window was
// done by then.
CapturedRun InterruptedPerplexity(const std::string& signal, const std::string& flags) {
  const TempDir dir;
  std::string text;
  while (text.size() < 1'000'000) text += ReadFile(TestData("tiny-tales-heldout-head.txt"));
  WriteFile(dir.Path("text"), text);
  CapturedRun run;
  for (const char* seconds : {"0.5", "1", "2", "4", "8", "16", "32", "64"}) {
    run = RunShell(StrCat("$BIN/infer-eval perplexity -q -f '", dir.Path("text"), "' --ctx 64 ",
                          flags, " & pid=$!; sleep ", seconds, "; kill -", signal,
                          " $pid; wait $pid"));
    if (!run.out.empty()) break;
  }
  return run;
}

TEST(InferEvalBinary, InterruptedPerplexitySaysThatItIsOfAPart) {
  const CapturedRun run = InterruptedPerplexity("INT", "");
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_THAT(run.out, MatchesRegex("perplexity [0-9.]+ \\+/- [0-9.]+ over [0-9]+ tokens in [0-9]+ "
                                    "of [0-9]+ windows of 64; interrupted, a part of the text\n"));
  EXPECT_EQ(run.err, "error: interrupted by SIGINT\n");
}

TEST(InferEvalBinary, InterruptedPerplexityInJsonIsNotComplete) {
  const CapturedRun run = InterruptedPerplexity("TERM", "--format json");
  EXPECT_EQ(run.code, 143) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out, nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(json.is_object()) << run.out;
  EXPECT_EQ(json["complete"], false);
  EXPECT_GT(json["windows"], 0);
  EXPECT_GT(json["total_windows"], json["windows"]);
}

TEST(InferEvalBinary, AWholePerplexityIsComplete) {
  const std::string command = "$BIN/infer-eval perplexity -q --ctx 64 -f '" +
                              TestData("tiny-tales-heldout-head.txt") + "' ";
  const CapturedRun text = RunShell(command);
  EXPECT_THAT(text.out, EndsWith(" windows of 64\n"));
  const nlohmann::json json =
      nlohmann::json::parse(RunShell(command + "--format json").out, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["total_windows"], json["windows"]);
}

}  // namespace
}  // namespace infer
