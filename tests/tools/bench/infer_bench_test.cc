// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/e2e/tool_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::json;

// Small enough for a build with sanitizers.
const std::vector<std::string> kQuick = {"-r", "2", "--no-peaks", "-q"};

std::vector<std::string> With(std::vector<std::string> args) {
  args.insert(args.end(), kQuick.begin(), kQuick.end());
  return args;
}

TEST(InferBench, MeasuresEveryTestOfTheGrid) {
  const Json rows = Json::parse(
      OutputOf("infer-bench",
               With({"-p", "3", "-n", "2", "-pg", "3,2", "-d", "0,5", "-ub", "2", "-o", "json"})));
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[5]["n_prompt"], 3);
  EXPECT_EQ(rows[5]["n_gen"], 2);
  EXPECT_EQ(rows[5]["n_depth"], 5);
  for (const Json& row : rows) {
    EXPECT_EQ(row["samples_ns"].size(), 2u);
    EXPECT_GT(row["avg_ts"], 0);
    EXPECT_GT(row["gb_per_s"], 0);
    EXPECT_EQ(row["model_type"], "qwen3 5.8M q8_0");
  }
}

TEST(InferBench, TheTableIsMarkdown) {
  const std::string table = OutputOf("infer-bench", With({"-p", "2", "-n", "0"}));
  EXPECT_THAT(table, StartsWith("| model | size |"));
  EXPECT_THAT(table, HasSubstr("| pp2 | "));
}

TEST(InferBench, ComparesWithAnEarlierRun) {
  TempDir dir;
  const std::string base = OutputOf("infer-bench", With({"-p", "2", "-n", "0", "-o", "json"}));
  Json fast = Json::parse(base);
  fast[0]["avg_ts"] = 1e12;
  WriteFile(dir.Path("fast.json"), fast.dump());
  const CapturedRun run =
      RunNamed("infer-bench", With({"-p", "2", "-n", "0", "--compare", dir.Path("fast.json")}));
  EXPECT_EQ(run.code, kExitVerification);
  EXPECT_THAT(run.err, StartsWith("error: slower than "));
}

TEST(InferBench, AMissingBaseIsFoundBeforeAnythingRuns) {
  const CapturedRun run = RunNamed("infer-bench", {"--compare", "/nowhere/base.json"});
  EXPECT_EQ(run.code, kExitBadInput);
  EXPECT_EQ(run.out, "");
}

TEST(InferBench, ADepthBeyondTheModelIsRefused) {
  const CapturedRun run = RunNamed("infer-bench", With({"-d", "100000000"}));
  EXPECT_EQ(run.code, kExitUsage);
  EXPECT_THAT(run.err, HasSubstr("was trained for"));
}

TEST(InferBenchOp, MeasuresAKernelOrSaysWhatIsMissing) {
  const CapturedRun run =
      RunNamed("infer-bench", With({"op", "--op", "linear", "--m", "1,9", "--n", "8", "--k", "64",
                                    "--target", "scalar", "--min-time", "0.001", "-o", "jsonl"}));
  if (run.code == kExitUnavailable) {
    EXPECT_THAT(run.err, HasSubstr("libbenchmark-dev"));
    return;
  }
  ASSERT_EQ(run.code, kExitOk) << run.err;
  const Json first = Json::parse(run.out.substr(0, run.out.find('\n')));
  EXPECT_EQ(first["kernel"], "linear_q8_0_scalar");
  EXPECT_EQ(first["shape"], "m=1 n=8 k=64 q8_0");
  EXPECT_EQ(first["cold"], true);
  EXPECT_GT(first["gb_per_s"], 0);
  EXPECT_THAT(run.out, HasSubstr("\"shape\":\"m=9 n=8 k=64 q8_0\",\"cold\":false"));
}

TEST(InferBenchOp, ATargetWithoutTheKernelIsExitCodeFive) {
  const CapturedRun run =
      RunNamed("infer-bench",
               With({"op", "--op", "attention", "--target", "scalar", "--min-time", "0.001"}));
  EXPECT_EQ(run.code, kExitUnavailable);
}

}  // namespace
}  // namespace infer
