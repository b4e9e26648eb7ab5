// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/profile.h"
#include "tests/backends/parallel/tbb_under_sanitizer.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// Runs the bundled model and gives the profile's path.
std::string ProfileRun(const TempDir& dir, std::vector<std::string> more,
                       const std::string& name = "p.pb") {
  std::vector<std::string> args = {"-p", "Once upon a time", "-n",          "8", "--temp",
                                   "0",  "--profile",        dir.Path(name)};
  args.insert(args.end(), more.begin(), more.end());
  CapturedRun run = RunNamed("infer-run", args);
  EXPECT_EQ(run.code, 0) << run.err;
  return dir.Path(name);
}

Profile ReadProfileFile(const std::string& path) {
  absl::StatusOr<Profile> profile = DeserializeProfile(ReadFile(path), path);
  EXPECT_TRUE(profile.ok()) << profile.status();
  return profile.ok() ? *std::move(profile) : Profile();
}

TEST(InferProfile, ShowsWhatARunMeasured) {
  TempDir dir;
  const std::string path = ProfileRun(dir, {"--policy", "scalar"});
  const std::string text = OutputOf("infer-profile", {path});
  EXPECT_THAT(text, HasSubstr("policy scalar"));
  EXPECT_THAT(text, HasSubstr("7 calls with T = 1"));
  EXPECT_THAT(text, ContainsRegex("1 call with T = [4-7]"));
  EXPECT_THAT(text, ContainsRegex("layer.*/ffn/down_proj x 6 .*scalar +linear"));
}

TEST(InferProfile, CountsEveryNodeOnEveryThread) {
  for (const char* by : {"team", "tbb"}) {
    if (kTbbLooksLikeRaces && std::string(by) == "tbb") continue;
    TempDir dir;
    const Profile profile =
        ReadProfileFile(ProfileRun(dir, {"--threads-by", by, "-t", "2", "--policy", "parallel"}));
    EXPECT_EQ(profile.threads, 2);
    EXPECT_EQ(profile.threads_by, by);
    // The prompt is a group of this regime or, where many rows have other kernels, of the next.
    ASSERT_GE(profile.regimes.size(), 1u);
    const ProfileRegime& regime = profile.regimes[0];
    ASSERT_GE(regime.groups.size(), 1u);
    EXPECT_EQ(regime.groups[0].calls, 7);
    int64_t steps_ns = 0;
    for (size_t i = 0; i < regime.nodes.size(); ++i) {
      const NodeTiming& timing = regime.groups[0].timings[i];
      EXPECT_EQ(timing.n, 7) << regime.nodes[i].name;
      EXPECT_GT(timing.busy_ns, 0) << regime.nodes[i].name;
      EXPECT_GT(timing.total_ns, 0) << regime.nodes[i].name;
      EXPECT_LE(timing.min_ns, timing.p50_ns);
      EXPECT_LE(timing.p50_ns, timing.p95_ns);
      EXPECT_GE(timing.imbalance(2), 1.0);
      EXPECT_LE(timing.imbalance(2), 2.0);
      steps_ns += timing.total_ns;
    }
    EXPECT_LE(steps_ns, regime.groups[0].wall_ns);
  }
}

TEST(InferProfile, IsCheckedAgainstItsProgram) {
  TempDir dir;
  const std::string path = ProfileRun(dir, {"--policy", "scalar"});
  OutputOf("infer-compile", {"--policy", "scalar", "-o", dir.Path("scalar.pb")});
  OutputOf("infer-compile", {"--policy", "reference", "-o", dir.Path("reference.pb")});
  EXPECT_THAT(OutputOf("infer-profile", {path, "-g", dir.Path("scalar.pb")}),
              HasSubstr("policy scalar"));
  CapturedRun run = RunNamed("infer-profile", {path, "-g", dir.Path("reference.pb")});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, HasSubstr("p.pb: is a profile of another program: it ran policy scalar, "
                                 "the program has reference"));
  EXPECT_EQ(run.out, "");
}

TEST(InferProfile, PrintsJson) {
  TempDir dir;
  const std::string path = ProfileRun(dir, {"--policy", "scalar"});
  const auto json = nlohmann::json::parse(OutputOf("infer-profile", {path, "--format", "json"}));
  EXPECT_EQ(json["regimes"][0]["groups"][0]["calls"], 7);
}

TEST(InferProfile, RefusesOtherFiles) {
  CapturedRun run = RunNamed("infer-profile", {BundledModelPath()});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, HasSubstr("GGUF"));
  EXPECT_EQ(RunNamed("infer-profile", {"/nowhere/p.pb"}).code, 3);
  EXPECT_EQ(RunNamed("infer-profile", {}).code, 2);
}

TEST(InferRunProfile, PrintsTheTableOnStderr) {
  CapturedRun plain = RunNamed("infer-run", {"-p", "Once", "-n", "4", "--temp", "0"});
  CapturedRun run =
      RunNamed("infer-run", {"-p", "Once", "-n", "4", "--temp", "0", "--dump-profile"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, plain.out);
  EXPECT_THAT(run.err, HasSubstr("4 calls with T = 1"));
  EXPECT_THAT(run.err, HasSubstr("measured us"));
}

TEST(InferRunProfile, PrintsJsonOnStderr) {
  CapturedRun run = RunNamed("infer-run", {"-p", "Once", "-n", "4", "--dump-profile", "--format",
                                           "json", "--stats", "none"});
  const size_t start = run.err.find("{\"schema_version\"");
  ASSERT_NE(start, std::string::npos) << run.err;
  const auto json = nlohmann::json::parse(run.err.substr(start, run.err.find('\n', start) - start));
  EXPECT_EQ(json["regimes"][0]["calls"], 4);
}

// As a program reads them: a line of JSON for each report that was asked for, and nothing else.
TEST(InferRunProfile, QuietLeavesTheReportsThatWereAskedFor) {
  const std::vector<std::string> args = {"-q", "-p", "Once", "-n", "4", "--temp", "0"};
  auto quiet = [&](std::vector<std::string> more) {
    more.insert(more.begin(), args.begin(), args.end());
    const CapturedRun run = RunNamed("infer-run", more);
    EXPECT_EQ(run.out, " upon a time,\n");
    return run.err;
  };
  EXPECT_EQ(quiet({}), "");
  const auto profile = nlohmann::json::parse(quiet({"--dump-profile", "--format", "json"}));
  EXPECT_EQ(profile["regimes"][0]["calls"], 4);
  EXPECT_EQ(nlohmann::json::parse(quiet({"--stats", "json"}))["decode_tokens"], 3);
  std::istringstream both(quiet({"--stats", "json", "--dump-profile", "--format", "json"}));
  std::string stats_line, profile_line, rest;
  std::getline(both, stats_line);
  std::getline(both, profile_line);
  EXPECT_FALSE(std::getline(both, rest)) << rest;
  EXPECT_TRUE(nlohmann::json::parse(stats_line).contains("load_ms"));
  EXPECT_TRUE(nlohmann::json::parse(profile_line).contains("regimes"));
  EXPECT_THAT(quiet({"--stats", "text"}), ::testing::StartsWith("load_ms"));
}

TEST(InferRunProfile, RefusesPathsBeforeItRuns) {
  CapturedRun run = RunNamed("infer-run", {"-p", "Once", "-n", "4", "--profile", "/nowhere/p.pb"});
  EXPECT_NE(run.code, 0);
  EXPECT_THAT(run.err, HasSubstr("/nowhere/p.pb"));
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(RunNamed("infer-run", {"-p", "Once", "--profile", "-"}).code, 2);
  EXPECT_EQ(RunNamed("infer-run", {"-p", "Once", "--format", "json"}).code, 2);
}

}  // namespace
}  // namespace infer
