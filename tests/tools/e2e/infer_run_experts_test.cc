// SPDX-License-Identifier: Apache-2.0
//
// infer-run with a trained model of experts, and the flags that are about experts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/e2e/tool_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string Model() { return TestData("tiny-tales-moe-q8_0.gguf"); }

CapturedRun Generate(std::vector<std::string> more) {
  std::vector<std::string> args = {"-m",
                                   Model(),
                                   "-p",
                                   "Once upon a time, a small mole",
                                   "-n",
                                   "24",
                                   "-c",
                                   "128",
                                   "--temp",
                                   "0",
                                   "--activations",
                                   "float"};
  args.insert(args.end(), more.begin(), more.end());
  return RunNamed("infer-run", args);
}

// Three layers with two nodes of experts each.
TEST(InferRunExperts, EveryFlagGivesTheTextOfReference) {
  const CapturedRun expected = Generate({"--policy", "reference"});
  ASSERT_EQ(expected.code, kExitOk) << expected.err;
  const std::vector<std::vector<std::string>> ways = {
      {},
      {"--cpu-moe"},
      {"--n-cpu-moe", "2"},
      {"--no-pack", "experts"},
      {"--place", "op=expert_linear=simd"},
      {"--place", "op=expert_linear=scalar", "--n-cpu-moe", "1"},
      {"-ot", "ffn_.*_exps=CPU"},
  };
  for (const std::vector<std::string>& flags : ways) {
    const CapturedRun run = Generate(flags);
    EXPECT_EQ(run.code, kExitOk) << run.err;
    EXPECT_EQ(run.out, expected.out) << ::testing::PrintToString(flags);
  }
}

TEST(InferRunExperts, RulesMoveTheExpertsAndNothingElse) {
  const CapturedRun all =
      Generate({"--policy", "parallel", "--place", "op=expert_linear=simd", "-v"});
  EXPECT_THAT(all.err, ContainsRegex("with place op=expert_linear=simd; T 1.*simd 6[, \n]"));
  const CapturedRun first = Generate({"--policy", "simd", "--n-cpu-moe", "2", "-v"});
  EXPECT_THAT(first.err, ContainsRegex("with n-cpu-moe 2; T 1.*parallel 4[, \n]"));
  const CapturedRun every = Generate({"--policy", "simd", "--cpu-moe", "-v"});
  EXPECT_THAT(every.err, ContainsRegex("with cpu-moe; T 1.*parallel 6[, \n]"));
}

TEST(InferRunExperts, ARuleWithoutExpertsToMoveIsReported) {
  const CapturedRun run =
      RunNamed("infer-run", {"-p", "Once", "-n", "1", "--place", "op=expert_linear=simd"});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_THAT(run.err, HasSubstr("op=expert_linear=simd"));
}

}  // namespace
}  // namespace infer
