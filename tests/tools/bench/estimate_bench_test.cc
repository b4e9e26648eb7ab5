// SPDX-License-Identifier: Apache-2.0
//
// `infer-bench estimate` and the command line of `infer-bench --calibrate`; calibrating itself
// takes too long for a test.
#include "tools/bench/estimate_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "absl/strings/str_format.h"
#include "tests/tools/e2e/tool_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(InferBenchEstimate, PrintsCallsAndNodesWithWhatBoundsThem) {
  const std::string text =
      OutputOf("infer-bench", {"estimate", "-p", "1,8", "--no-measure", "--nodes", "-q"});
  EXPECT_THAT(text, HasSubstr("| tokens | regime | estimate ms |"));
  EXPECT_THAT(text, HasSubstr("| layer.0/attn/q_proj+k_proj+v_proj | multi_linear |"));
  EXPECT_THAT(text, HasSubstr("| memory |"));
  EXPECT_THAT(text, Not(HasSubstr("measured")));
}

// Eight decodes at depth 200 see an eighth of the pairs that one sequence with as many entries
// does.
TEST(InferBenchEstimate, DividesACallAmongItsSequences) {
  const auto attention_us = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"estimate", "-p", "8", "--no-measure", "--nodes", "-q"});
    const std::string text = OutputOf("infer-bench", flags);
    std::smatch row;
    const std::regex columns(R"(\| layer\.0/attn[^|]* \| attention \|[^|]*\|.*\| ([\d.]+) \|\n)");
    EXPECT_TRUE(std::regex_search(text, row, columns)) << text;
    return row.empty() ? 0 : std::stod(row[1]);
  };
  const double one = attention_us({"-d", "1600"});
  const double eight = attention_us({"-d", "200", "--sequences", "8"});
  EXPECT_GT(eight, 0);
  EXPECT_LT(eight, one);
}

TEST(InferBenchEstimate, RefusesASuffixOfAnotherFormat) {
  const TempDir dir;
  const CapturedRun run =
      RunNamed("infer-bench", {"estimate", "-p", "1", "--svg", dir.Path("x.png"), "-q"});
  EXPECT_EQ(run.code, kExitUsage) << run.err;
  EXPECT_THAT(run.err, HasSubstr("--svg"));
  EXPECT_THAT(run.err, HasSubstr("use .svg"));
  EXPECT_THAT(dir.Names(), ::testing::IsEmpty());
}

// One definition of the estimate of a call: before the run, beside its profile, and in what
// infer-profile and infer-bench make of the same file.
TEST(InferBenchEstimate, GivesACallTheSameEstimateEverywhere) {
  const std::string text = OutputOf("infer-bench", {"estimate", "-p", "1", "-r", "1", "-q"});
  std::smatch call, profiled;
  ASSERT_TRUE(std::regex_search(text, call, std::regex(R"(\n\| 1 \| 1\.\.\d+ \| ([\d.]+) \|)")))
      << text;
  ASSERT_TRUE(std::regex_search(text, profiled,
                                std::regex(R"(\n\| 1\.\.\d+ \| 1\.\.1 \| \d+ \| ([\d.]+) \|)")))
      << text;
  EXPECT_EQ(call[1], profiled[1]);
}

TEST(InferBenchEstimate, OfAProfileSaysWhatInferProfileSays) {
  TempDir dir;
  OutputOf("infer-run",
           {"-q", "-p", "Once", "-n", "8", "--temp", "0", "--profile", dir.Path("p.pb")});
  const auto json =
      nlohmann::json::parse(OutputOf("infer-profile", {dir.Path("p.pb"), "--format", "json"}));
  const auto& group = json["regimes"][0]["groups"][0];
  const auto number = [&](const char* name) { return group["one_call"][name].get<double>(); };
  EXPECT_GT(number("estimate_ns"), 0);
  EXPECT_GT(number("median_ns"), 0);
  EXPECT_THAT(
      OutputOf("infer-bench", {"estimate", "--profile", dir.Path("p.pb")}),
      HasSubstr(absl::StrFormat("| %d | %.3f | %.3f | %.2f | %.3f | %.2f |",
                                group["calls"].get<int>(), number("estimate_ns") / 1e6,
                                number("mean_ns") / 1e6, number("estimate_over_mean"),
                                number("median_ns") / 1e6, number("estimate_over_median"))));
  EXPECT_NEAR(number("estimate_over_mean"), group["estimate_over_measurement"].get<double>(), 1e-9);
}

TEST(InferBenchEstimate, RefusesAMachineThatIsNone) {
  TempDir dir;
  WriteFile(dir.Path("bad.textproto"), "name: 3");
  const CapturedRun run =
      RunNamed("infer-bench", {"estimate", "--no-measure", "--machine", dir.Path("bad.textproto")});
  EXPECT_EQ(run.code, kExitBadInput);
  EXPECT_THAT(run.err, HasSubstr("bad.textproto:1:"));
}

TEST(InferBenchEstimate, RefusesAProfileThatIsNone) {
  TempDir dir;
  WriteFile(dir.Path("bad.pb"), "no profile");
  const CapturedRun run = RunNamed("infer-bench", {"estimate", "--profile", dir.Path("bad.pb")});
  EXPECT_EQ(run.code, kExitBadInput);
}

TEST(InferBenchCalibrate, HasFlagsOfItsOwn) {
  EXPECT_THAT(OutputOf("infer-bench", {"--calibrate", "--help"}), HasSubstr("--tuned"));
  const CapturedRun run = RunNamed("infer-bench", {"--calibrate", "--type", "q8_00"});
  EXPECT_EQ(run.code, kExitUsage);
  EXPECT_THAT(run.err, HasSubstr("--type 'q8_00' is not a weight type"));
}

}  // namespace
}  // namespace infer
