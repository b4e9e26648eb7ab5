// SPDX-License-Identifier: Apache-2.0
//
// What only a process of its own can show: signals, and a stdout that goes away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A generation of seconds, which gets `signal` once its first text is there.
CapturedRun Interrupted(const std::string& signal) {
  TempDir dir;
  return RunShell("cd '" + dir.path() +
                  "'; $BIN/infer-run -p 'Once upon a time' -n 2000 --ignore-eos --temp 0 >out & "
                  "pid=$!; while [ ! -s out ]; do sleep 0.05; done; kill -" +
                  signal + " $pid; wait $pid; code=$?; cat out; exit $code");
}

TEST(InferRunBinary, CtrlCEndsWithWhatWasGenerated) {
  CapturedRun run = Interrupted("INT");
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_THAT(run.out, StartsWith(","));
  EXPECT_THAT(run.out, EndsWith("\n"));
  EXPECT_THAT(run.err, HasSubstr("; interrupted\n"));
  EXPECT_THAT(run.err, EndsWith("error: interrupted by SIGINT\n"));
}

TEST(InferRunBinary, SigtermEndsTheSameWay) {
  CapturedRun run = Interrupted("TERM");
  EXPECT_EQ(run.code, 143) << run.err;
  EXPECT_THAT(run.out, StartsWith(","));
  EXPECT_THAT(run.err, EndsWith("error: interrupted by SIGTERM\n"));
}

TEST(InferRunBinary, CtrlCEndsAChatThatWaitsForALine) {
  TempDir dir;
  CapturedRun run =
      RunShell("cd '" + dir.path() +
               "'; mkfifo lines; exec 3<>lines; $BIN/infer-run --chat <lines 2>err & pid=$!; "
               "while ! grep -q loaded err 2>/dev/null; do sleep 0.05; done; sleep 0.1; "
               "kill -INT $pid; wait $pid; code=$?; cat err >&2; exit $code");
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, EndsWith("error: interrupted by SIGINT\n"));
}

// Until the process handles SIGINT, number 2, and waits.
constexpr char kAwaitWait[] =
    "if [ -d /proc/$pid ]; then "
    "until grep -q infer /proc/$pid/comm && grep -q '^State:.S' /proc/$pid/status && "
    "grep -q '^SigCgt:.*[2367abef]$' /proc/$pid/status; do kill -0 $pid || break; sleep 0.01; "
    "done; "
    "else sleep 1; fi; ";

// Opening a FIFO waits for a writer, and reading it for text.
TEST(InferRunBinary, CtrlCEndsAWaitForAFile) {
  for (const char* writer : {"", "exec 3<>text; "}) {
    TempDir dir;
    CapturedRun run =
        RunShell("cd '" + dir.path() + "'; mkfifo text; " + writer +
                 "$BIN/infer-run -f text & pid=$!; " + kAwaitWait + "kill -INT $pid; wait $pid");
    EXPECT_EQ(run.code, 130) << run.err;
    EXPECT_EQ(run.err, "error: interrupted by SIGINT\n");
  }
}

TEST(InferRunBinary, FailsIfItsOutputIsLost) {
  CapturedRun closed = RunShell("$BIN/infer-run -q -p Once -n 3 >&-");
  EXPECT_EQ(closed.code, 1);
  EXPECT_EQ(closed.err, "error: stdout: write failed: Bad file descriptor\n");
  if (std::filesystem::exists("/dev/full")) {
    CapturedRun full = RunShell("$BIN/infer-run -q -p Once -n 3 >/dev/full");
    EXPECT_EQ(full.code, 1);
    EXPECT_EQ(full.err, "error: stdout: write failed: No space left on device\n");
    EXPECT_EQ(RunShell("$BIN/infer-run -q -p Once -n 3 --emit ids >/dev/full").code, 1);
  }
  CapturedRun gone =
      RunShell("{ $BIN/infer-run -q -p Once -n 2000 --ignore-eos; echo $? >&2; } | head -c 5");
  EXPECT_EQ(gone.err, "141\n");
}

TEST(InferRunBinary, AFileSizeLimitOnlyPreventsTheCache) {
  TempDir dir;
  const std::string model = dir.Path("model.gguf");
  std::filesystem::copy_file(BundledModelPath(), model);
  CapturedRun run = RunShell("ulimit -f 64; $BIN/infer-run -m '" + model +
                             "' -p Once -n 2 --temp 0 --policy simd --pack-cache");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, " upon a\n");
  if (run.err.find("no weight packed") != std::string::npos) GTEST_SKIP() << "nothing is packed";
  EXPECT_THAT(run.err, HasSubstr("File too large; packed weights are not kept"));
}

TEST(InferRunBinary, IsASubcommandToo) {
  EXPECT_EQ(RunShell("$BIN/infer run -q -p Once -n 2 --temp 0").out, " upon a\n");
  EXPECT_EQ(RunShell("echo -n Once | $BIN/infer-run -q -n 2 --temp 0").out, " upon a\n");
}

}  // namespace
}  // namespace infer
