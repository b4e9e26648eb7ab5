// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/json.h"
#include "tests/tools/e2e/tool_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

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

TEST(InferBench, PlacesNodesAsInferRunDoes) {
  TempDir dir;
  WriteFile(dir.Path("mine.textproto"), "name: 'mine' rule { name: 'all' targets: [SCALAR] }");
  const std::vector<std::string> args = {"-p",       "2",
                                         "-n",       "0",
                                         "--policy", "scalar," + dir.Path("mine.textproto"),
                                         "--place",  "op=rms_norm,rows<8=simd|scalar",
                                         "-ot",      "ffn=scalar",
                                         "-o",       "json"};
  const Json rows = Json::parse(OutputOf("infer-bench", With(args)));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_THAT(rows[0]["policy"], StartsWith("scalar place op=rms_norm,rows<8=simd/scalar"));
  EXPECT_THAT(rows[1]["policy"], StartsWith("mine place op=rms_norm"));
  EXPECT_THAT(rows[1]["policy"], HasSubstr("ffn=scalar"));
}

TEST(InferBench, RefusesOrReportsRulesAsInferRunDoes) {
  const CapturedRun wrong = RunNamed("infer-bench", With({"--place", "op=lineer=simd"}));
  EXPECT_EQ(wrong.code, kExitUsage);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean linear"));
  const CapturedRun idle = RunNamed("infer-bench", {"-r", "1", "--no-peaks", "-p", "2", "-n", "0",
                                                    "--place", "layer>=99=scalar"});
  EXPECT_EQ(idle.code, kExitOk);
  EXPECT_THAT(idle.err, HasSubstr("layer>=99"));
  EXPECT_EQ(RunNamed("infer-bench", With({"--place", "layer>=99=scalar", "--strict"})).code,
            kExitUsage);
}

TEST(InferBench, WarnsOfADescriptionForAnotherNumberOfThreads) {
  TempDir dir;
  WriteFile(dir.Path("host.textproto"), "name: 'host' threads: 77 origin: CALIBRATED");
  const CapturedRun run =
      RunNamed("infer-bench", {"-r", "1", "--no-peaks", "-p", "2", "-n", "0", "-t", "1", "--policy",
                               "scalar,simd", "--machine", dir.Path("host.textproto")});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  const size_t first = run.err.find("host was measured with 77 threads, this run has 1");
  ASSERT_NE(first, std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("was measured with", first + 10), std::string::npos);  // said once
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

TEST(InferBench, ReplaysATextWithDrafts) {
  TempDir dir;
  std::string text;
  for (int i = 0; i < 20; ++i) text += "One day Lily and Tom went to the park and saw a big dog. ";
  WriteFile(dir.Path("text"), text);
  const std::string out =
      OutputOf("infer-bench", {"spec", "--text", dir.Path("text"), "-p", "40", "-n", "40",
                               "--sequences", "1,2", "-r", "1", "-q"});
  EXPECT_THAT(out, StartsWith("| sequences | tokens | calls |"));
  EXPECT_THAT(out, HasSubstr("\n| 1 | 40 | "));
  EXPECT_THAT(out, HasSubstr("\n| 2 | 80 | "));
  const std::string by_model = OutputOf(
      "infer-bench", {"spec", "--text", dir.Path("text"), "-p", "40", "-n", "8", "--sequences",
                      "1,2", "--draft-model", BundledModelPath(), "-r", "1", "-o", "jsonl", "-q"});
  EXPECT_THAT(by_model, HasSubstr("\"sequences\":2,\"tokens\":16,"));
  const CapturedRun other = RunNamed(
      "infer-bench",
      {"spec", "--text", dir.Path("text"), "--draft-model", TestData("random_untied.gguf"), "-q"});
  EXPECT_EQ(other.code, kExitBadInput);
  EXPECT_EQ(other.out, "");
  EXPECT_THAT(other.err, HasSubstr("cannot draft for"));
  const CapturedRun shorter =
      RunNamed("infer-bench", {"spec", "--text", dir.Path("text"), "-p", "4000", "-n", "40", "-q"});
  EXPECT_EQ(shorter.code, kExitBadInput);
  EXPECT_THAT(shorter.err, HasSubstr("-p 4000 and -n 40 need 4040"));
  EXPECT_EQ(RunNamed("infer-bench", {"spec", "-q"}).code, kExitUsage);
}

}  // namespace
}  // namespace infer
