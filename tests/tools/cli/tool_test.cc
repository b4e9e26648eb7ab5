// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/tool.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <new>
#include <stdexcept>
#include <system_error>

#include "ir/base/status_macros.h"
#include "tests/tools/cli/captured_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Does what its argument says.
absl::Status ActMain(ToolContext& context) {
  std::string action;
  Flags flags("infer-act", "Acts.");
  flags.Positional("ACTION", &action, "what to do");
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  context.console().Info("acting");
  RETURN_IF_ERROR(context.out().Write("partial"));
  if (action == "refuse") return absl::DataLossError("model is broken");
  if (action == "throw") throw std::runtime_error("library");
  if (action == "memory") throw std::bad_alloc();
  if (action == "thread") throw std::system_error(EAGAIN, std::generic_category());
  if (context.interrupt().requested()) return absl::OkStatus();  // a tool that checks for signals
  if (action == "int") raise(SIGINT);
  if (action == "term") {
    raise(SIGTERM);
    return absl::CancelledError("stopped");
  }
  return absl::OkStatus();
}

constexpr Tool kAct = {"infer-act", "act", "Acts", ActMain};

TEST(RunTool, FlushesTheProductAndMapsTheStatus) {
  CapturedRun run = RunCaptured(kAct, {"fine"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out, "partial");
  EXPECT_EQ(run.err, "acting\n");
  run = RunCaptured(kAct, {"refuse", "-q"});
  EXPECT_EQ(run.code, kExitBadInput);
  EXPECT_EQ(run.out, "partial");
  EXPECT_EQ(run.err, "error: model is broken\n");
}

TEST(RunTool, TakesTheLevelOfTheLogFromTheEnvironment) {
  EXPECT_EQ(RunCaptured(kAct, {"fine"}, {{"INFER_LOG", "error"}}).err, "");
  EXPECT_EQ(RunCaptured(kAct, {"fine"}, {{"INFER_LOG", "info"}}).err, "acting\n");
  EXPECT_EQ(RunCaptured(kAct, {"fine"}, {{"INFER_LOG", ""}}).err, "acting\n");
  EXPECT_EQ(RunCaptured(kAct, {"fine", "-v"}, {{"INFER_LOG", "error"}}).err, "acting\n");
  EXPECT_EQ(RunCaptured(kAct, {"fine", "-q"}, {{"INFER_LOG", "trace"}}).err, "");
  CapturedRun run = RunCaptured(kAct, {"fine"}, {{"INFER_LOG", "warn"}});
  EXPECT_EQ(run.code, kExitUsage);
  EXPECT_THAT(run.err, StartsWith("error: INFER_LOG=warn is not a log level"));
  EXPECT_EQ(RunCaptured(kAct, {"--help"}, {{"INFER_LOG", "warn"}}).code, 0);
}

TEST(RunTool, TurnsExceptionsIntoErrorLines) {
  CapturedRun run = RunCaptured(kAct, {"throw", "-q"});
  EXPECT_EQ(run.code, kExitRuntime);
  EXPECT_EQ(run.err, "error: infer-act: unexpected exception: library\n");
  EXPECT_EQ(RunCaptured(kAct, {"memory"}).code, kExitNoMemory);
  EXPECT_EQ(RunCaptured(kAct, {"thread"}).code, kExitNoMemory);
}

TEST(RunTool, EndsInTheSignalsCodeWithWhatThereIs) {
  CapturedRun run = RunCaptured(kAct, {"int", "-q"});
  EXPECT_EQ(run.code, 130);
  EXPECT_EQ(run.out, "partial");
  EXPECT_EQ(run.err, "error: interrupted by SIGINT\n");
  EXPECT_EQ(RunCaptured(kAct, {"term"}).code, 143);
}

TEST(RunTool, ReportsAFailedFlush) {
  int full = open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full on this system";
  CapturedFd err;
  EXPECT_EQ(RunTool(kAct, {"fine", "-q"}, {full, err.fd(), LookupIn({})}), kExitRuntime);
  EXPECT_THAT(err.Text(), StartsWith("error: stdout: write failed"));
  close(full);
}

TEST(ToolContext, AnswersHelpVersionConfigAndCompletion) {
  EXPECT_THAT(RunCaptured(kAct, {"--help"}).out, StartsWith("infer-act: Acts."));
  EXPECT_THAT(RunCaptured(kAct, {"--man"}).out, StartsWith(".TH \"INFER\\-ACT\" \"1\""));
  EXPECT_THAT(RunCaptured(kAct, {"--version"}).out, StartsWith("infer "));
  EXPECT_THAT(RunCaptured(kAct, {"--print-config", "-vv"}).out, HasSubstr("verbose  = 2"));
  EXPECT_THAT(RunCaptured(kAct, {"--completion", "bash"}).out, HasSubstr("_infer_act()"));
  CapturedRun wrong = RunCaptured(kAct, {"--completion", "csh"});
  EXPECT_EQ(wrong.code, kExitUsage);
  EXPECT_EQ(wrong.out, "");
}

TEST(ToolContext, SetsTheConsoleUpFromAnySource) {
  EXPECT_EQ(RunCaptured(kAct, {"fine"}, {{"INFER_QUIET", "1"}}).err, "");
  TempDir dir;
  EXPECT_EQ(RunCaptured(kAct, {"fine", "--log-file", dir.Path("log")}).code, 0);
  EXPECT_EQ(ReadFile(dir.Path("log")), "acting\n");
  EXPECT_EQ(RunCaptured(kAct, {"--color=sometimes"}).code, kExitUsage);
}

}  // namespace
}  // namespace infer
