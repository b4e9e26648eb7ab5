// SPDX-License-Identifier: Apache-2.0
//
// A trace of a run that a signal ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

TEST(InferRunTraceBinary, CtrlCLeavesAWholeFile) {
  TempDir dir;
  CapturedRun run = RunShell(
      "cd '" + dir.path() +
      "'; $BIN/infer-run -p 'Once upon a time' -n 2000 --ignore-eos --temp 0 --trace t.json >out & "
      "pid=$!; while [ ! -s out ]; do sleep 0.05; done; kill -INT $pid; wait $pid");
  EXPECT_EQ(run.code, 130) << run.err;
  const nlohmann::json trace = nlohmann::json::parse(ReadFile(dir.Path("t.json")));
  EXPECT_GT(trace["traceEvents"].size(), 100u);
  EXPECT_THAT(dir.Names(), ::testing::UnorderedElementsAre("out", "t.json"));
}

}  // namespace
}  // namespace infer
