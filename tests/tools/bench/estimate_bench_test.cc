// SPDX-License-Identifier: Apache-2.0
//
// `infer-bench estimate` and the command line of `infer-bench --calibrate`; calibrating itself
// takes too long for a test.
#include "tools/bench/estimate_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/e2e/tool_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(InferBenchEstimate, PrintsCallsAndNodesWithWhatBoundsThem) {
  const std::string text =
      OutputOf("infer-bench", {"estimate", "-p", "1,8", "--no-measure", "--nodes", "-q"});
  EXPECT_THAT(text, HasSubstr("| tokens | regime | estimate ms |"));
  EXPECT_THAT(text, HasSubstr("| layer.0/attn/q_proj | multi_linear |"));
  EXPECT_THAT(text, HasSubstr("| memory |"));
  EXPECT_THAT(text, Not(HasSubstr("measured")));
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
  EXPECT_THAT(run.err, HasSubstr("--type 'q8_00' is no type of weights"));
}

}  // namespace
}  // namespace infer
