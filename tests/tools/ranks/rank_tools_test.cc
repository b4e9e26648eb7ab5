// SPDX-License-Identifier: Apache-2.0
//
// Every tool that runs models, divided over two ranks: rank 0 says what one process says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tests/tools/e2e/tool_run.h"
#include "tests/tools/ranks/mpi_run.h"
#include "tests/tools/serve/e2e/server_process.h"
#include "tests/tools/serve/http/raw_client.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string TextOf(const http::RawAnswer& answer) {
  if (answer.status != 200) return StrCat("status ", answer.status, ": ", answer.body);
  return Json::parse(answer.body)["choices"][0]["text"];
}

class RankTools : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoMpi(); !why.empty()) GTEST_SKIP() << why;
  }

  static CapturedRun RunDivided(const std::string& tool, const std::vector<std::string>& args,
                                int ranks = 2) {
    MpiRun run(SameCommand(ranks, tool, args));
    EXPECT_TRUE(run.Wait());
    EXPECT_EQ(run.result().code, 0) << run.result().err;
    EXPECT_THAT(run.Errors(), IsEmpty());
    return run.result();
  }
};

TEST_F(RankTools, RunGivesTheTextOfOneProcess) {
  const std::vector<std::string> args = {"-q", "-p", "Once upon a time", "-n", "40", "--temp", "0"};
  EXPECT_EQ(RunDivided("infer-run", args).out, OutputOf("infer-run", args));
}

TEST_F(RankTools, RunStoredProgram) {
  TempDir dir;
  const std::string program = dir.Path("two.pb");
  OutputOf("infer-compile", {"-m", BundledModelPath(), "--ranks", "2", "-o", program});
  const Command command = {INFER_BIN_DIR "/infer-run",
                           "-q",
                           "-g",
                           program,
                           "-m",
                           BundledModelPath(),
                           "-p",
                           "Once",
                           "-n",
                           "20",
                           "--temp",
                           "0"};
  MpiRun run({command, command});
  EXPECT_TRUE(run.Wait());
  EXPECT_EQ(run.out(), OutputOf("infer-run", {"-q", "-p", "Once", "-n", "20", "--temp", "0"}))
      << run.result().err;
}

TEST_F(RankTools, ProfilesAndTracesShowAllRanks) {
  TempDir dir;
  RunDivided("infer-run", {"-q", "-p", "Once", "-n", "5", "--temp", "0", "-t", "1", "--profile",
                           dir.Path("p.pb"), "--trace", dir.Path("t.json")});
  const Json profile =
      Json::parse(OutputOf("infer-profile", {dir.Path("p.pb"), "--format", "json"}));
  EXPECT_EQ(profile["threads"], 2);
  EXPECT_EQ(profile["rank_threads"], Json::array({1, 1}));
  const std::string trace = ReadFile(dir.Path("t.json"));
  EXPECT_THAT(trace, HasSubstr("rank 0 thread 0"));
  EXPECT_THAT(trace, HasSubstr("rank 1 thread 0"));
  EXPECT_THAT(trace, HasSubstr("all_gather"));
}

TEST_F(RankTools, EvalMeasuresThePerplexityOfOneProcess) {
  TempDir dir;
  std::string text;
  for (int i = 0; i < 40; ++i) StrAppend(&text, "Once upon a time there were ", i, " foxes. ");
  WriteFile(dir.Path("text"), text);
  const std::vector<std::string> args = {"perplexity", "-f",  dir.Path("text"), "-c", "64",
                                         "--format",   "json"};
  EXPECT_EQ(RunDivided("infer-eval", args).out, OutputOf("infer-eval", args));
}

TEST_F(RankTools, EvalGivesTheLogitsOfOneProcess) {
  TempDir dir;
  std::vector<std::string> args = {"logits", "--ids", "1,50,7,300,12", "-o", dir.Path("two")};
  RunDivided("infer-eval", args);
  args.back() = dir.Path("one");
  OutputOf("infer-eval", args);
  EXPECT_EQ(ReadFile(dir.Path("two")), ReadFile(dir.Path("one")));
}

// Several loads, one after the other.
TEST_F(RankTools, BenchMeasuresSeveralConfigurations) {
  const CapturedRun run = RunDivided("infer-bench", {"-p", "8", "-n", "4", "-r", "1", "-t", "1",
                                                     "-ub", "8,16", "-o", "json", "--no-peaks"});
  const Json records = Json::parse(run.out);
  EXPECT_EQ(records.size(), 4u) << run.out;
}

// One rank has not fused what the other has, and so has more steps; the mode fast allows that.
TEST_F(RankTools, RanksThatRunOtherStepsAreProfiledAlone) {
  const TempDir dir;
  std::vector<Command> ranks = SameCommand(2, "infer-run",
                                           {"-p", "Once", "-n", "2", "--temp", "0", "--shard-mode",
                                            "fast", "--profile", dir.Path("run.profile")});
  ranks[1].insert(ranks[1].end(), {"--skip", "fuse-qk-norm-rope"});
  MpiRun run(ranks);
  EXPECT_TRUE(run.Wait());
  EXPECT_EQ(run.result().code, 0) << run.result().err;
  EXPECT_THAT(run.result().err, HasSubstr("the times of the other ranks are missing"));
}

TEST_F(RankTools, ServeAnswersAndEndsInOrder) {
  const std::string body = R"({"prompt": "Once upon a time", "max_tokens": 24, "temperature": 0})";
  const std::string alone = TextOf(serve::ServerProcess().Request("POST", "/v1/completions", body));
  MpiRun run(SameCommand(2, "infer-serve", {"--port", "0"}));
  ASSERT_TRUE(run.WaitForOutput(10)) << run.result().err;
  const std::string url = run.out();
  const int port = std::atoi(url.c_str() + url.rfind(':') + 1);
  for (int i = 0; i < 3; ++i) {
    http::RawClient client = http::RawClient::Tcp(port);
    client.Send(http::RequestText("POST", "/v1/completions", body));
    const http::RawAnswer answer = client.ReadAnswer("POST");
    EXPECT_EQ(TextOf(answer), alone);
  }
  run.Signal(0, SIGTERM);
  EXPECT_TRUE(run.Wait());
  EXPECT_THAT(run.Errors(), IsEmpty()) << run.result().err;
  EXPECT_EQ(run.result().code, 0);
}

// Nothing runs, so that nobody waits for the rank.
TEST_F(RankTools, ServeEndsWhenARankStops) {
  MpiRun run(SameCommand(2, "infer-serve", {"--port", "0"}));
  ASSERT_TRUE(run.WaitForOutput(10)) << run.result().err;
  run.Signal(1, SIGSTOP);
  EXPECT_TRUE(run.Wait(MpiRun::EndTime()));
  ASSERT_EQ(run.Errors().size(), 1u) << run.result().err;
  EXPECT_THAT(run.Errors()[0], HasSubstr("error: rank 1 (host "));
}

TEST_F(RankTools, AMistakeInTheCommandLineIsReportedOnce) {
  MpiRun run(SameCommand(2, "infer-run", {"--unknown"}));
  EXPECT_TRUE(run.Wait());
  EXPECT_EQ(run.result().code, 2);
  EXPECT_EQ(run.Errors().size(), 1u) << run.result().err;
  std::vector<Command> ranks = SameCommand(2, "infer-run", {"-p", "Once"});
  ranks[1].push_back("--unknown");
  MpiRun only_one(ranks);
  EXPECT_TRUE(only_one.Wait());
  EXPECT_NE(only_one.result().code, 0);
  EXPECT_THAT(only_one.result().err, HasSubstr("unknown flag --unknown"));
}

TEST_F(RankTools, WhatNeedsOneProcessIsRefused) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"-p", "Once", "--verify-against", "reference"},
                                             {"-p", "Once", "--verify-invariance"}}) {
    MpiRun run(SameCommand(2, "infer-run", args));
    EXPECT_TRUE(run.Wait());
    EXPECT_EQ(run.result().code, 2);
    ASSERT_EQ(run.Errors().size(), 1u) << run.result().err;
    EXPECT_THAT(run.Errors()[0], HasSubstr("start it without mpirun"));
  }
}

// One exchanges what it measures, the other what it loads.
TEST_F(RankTools, RanksThatExchangeOtherThingsAreToldApart) {
  const TempDir dir;
  std::vector<Command> ranks = SameCommand(2, "infer-run", {"-p", "Once", "-n", "1"});
  ranks[0] = {INFER_BIN_DIR "/infer-bench", "--calibrate", "-o", dir.Path("machine.textproto")};
  MpiRun run(ranks);
  EXPECT_TRUE(run.Wait());
  EXPECT_NE(run.result().code, 0);
  ASSERT_EQ(run.Errors().size(), 1u) << run.result().err;
  EXPECT_THAT(run.Errors()[0], HasSubstr("has sent more or less than this one expects"));
}

TEST_F(RankTools, AServerOfVectorsIsRefused) {
  MpiRun run(SameCommand(2, "infer-serve", {"--port", "0", "--pooling", "mean"}));
  EXPECT_TRUE(run.Wait());
  EXPECT_EQ(run.result().code, 2);
  ASSERT_EQ(run.Errors().size(), 1u) << run.result().err;
  EXPECT_THAT(run.Errors()[0], HasSubstr("start it without mpirun"));
}

TEST_F(RankTools, ANumberThatDoesNotDivideIsRefused) {
  MpiRun run(SameCommand(4, "infer-run", {"-p", "Once"}));
  EXPECT_TRUE(run.Wait());
  EXPECT_NE(run.result().code, 0);
  ASSERT_EQ(run.Errors().size(), 1u) << run.result().err;
  EXPECT_THAT(run.Errors()[0],
              HasSubstr("2 key/value heads, which 4 ranks cannot share evenly; possible: 2"));
}

TEST_F(RankTools, ServeEndsWhenARankDies) {
  MpiRun run(SameCommand(2, "infer-serve", {"--port", "0"}));
  ASSERT_TRUE(run.WaitForOutput(10)) << run.result().err;
  run.Signal(1, SIGKILL);
  EXPECT_TRUE(run.Wait(MpiRun::EndTime()));
  ASSERT_EQ(run.Errors().size(), 1u) << run.result().err;
  EXPECT_THAT(run.Errors()[0], HasSubstr("error: rank 1 (host "));
}

}  // namespace
}  // namespace infer
