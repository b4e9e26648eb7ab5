// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/batch_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/json.h"
#include "tests/tools/e2e/tool_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(InferBenchBatch, HasARowForEachNumberOfSequences) {
  const CapturedRun run = RunNamed("infer-bench", {"batch", "--sequences", "1,3", "-n", "2", "-d",
                                                   "5", "-r", "1", "-q", "-o", "json"});
  ASSERT_EQ(run.code, kExitOk) << run.err;
  const Json rows = Json::parse(run.out);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["times_first"], 1.0);
  EXPECT_EQ(rows[1]["sequences"], 3);
  EXPECT_EQ(rows[1]["n_depth"], 5);
  EXPECT_NEAR(rows[1]["tokens_per_s"].get<double>() * rows[1]["call_ms"].get<double>(), 3000, 1);
  EXPECT_NEAR(rows[1]["times_first"].get<double>(),
              rows[1]["tokens_per_s"].get<double>() / rows[0]["tokens_per_s"].get<double>(), 1e-9);
}

TEST(InferBenchBatch, TheTableIsMarkdown) {
  const CapturedRun run =
      RunNamed("infer-bench", {"batch", "--sequences", "2", "-n", "1", "-r", "1", "-q"});
  ASSERT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.out, StartsWith("| sequences | depth | ms a call |"));
}

TEST(InferBenchBatch, RefusesTooManySequences) {
  const CapturedRun run = RunNamed("infer-bench", {"batch", "--sequences", "1,257"});
  EXPECT_EQ(run.code, kExitUsage);
  EXPECT_THAT(run.err, HasSubstr("at most 256"));
}

}  // namespace
}  // namespace infer
