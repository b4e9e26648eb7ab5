// SPDX-License-Identifier: Apache-2.0
//
// The built binary and its links, as a shell sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ir/base/strings.h"
#include "tests/tools/cli/captured_run.h"
#include "tools/tool_list.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(InferBinary, HasALinkForEachTool) {
  for (const Tool* tool : AllTools()) {
    std::filesystem::path link = std::filesystem::path(INFER_BIN_DIR) / std::string(tool->name);
    EXPECT_TRUE(std::filesystem::is_symlink(link)) << link;
    CapturedRun run = RunShell(StrCat("\"$BIN/", tool->name, "\" --help"));
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.out, StartsWith(std::string(tool->name)));
    EXPECT_EQ(run.err, "");
  }
}

TEST(InferBinary, ListsItsToolsAndPrintsItsVersion) {
  CapturedRun list = RunShell("$BIN/infer");
  EXPECT_EQ(list.code, 0);
  EXPECT_THAT(list.out, HasSubstr("infer version"));
  EXPECT_THAT(RunShell("$BIN/infer --version").out, StartsWith("infer 0."));
  EXPECT_THAT(RunShell("$BIN/infer version").out, StartsWith("infer 0."));
}

TEST(InferBinary, FailsIfItsOutputIsLost) {
  CapturedRun closed = RunShell("$BIN/infer version >&-");
  EXPECT_EQ(closed.code, 1);
  EXPECT_EQ(closed.err, "error: stdout: write failed: Bad file descriptor\n");
  EXPECT_EQ(RunShell("$BIN/infer version 2>&- >/dev/null").code, 0);
  if (std::filesystem::exists("/dev/full")) {
    CapturedRun full = RunShell("$BIN/infer version >/dev/full");
    EXPECT_EQ(full.code, 1);
    EXPECT_EQ(full.err, "error: stdout: write failed: No space left on device\n");
  }
  // Again and again until the reader is gone.
  CapturedRun gone = RunShell(
      "{ code=0; while [ $code = 0 ]; do $BIN/infer version; code=$?; done; echo $code >&2; } "
      "| true");
  EXPECT_EQ(gone.err, "141\n");
}

TEST(InferBinary, EndsInTwoForAWrongCommandLine) {
  CapturedRun run = RunShell("$BIN/infer version --quite");
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.err,
            "error: unknown flag --quite (did you mean --quiet?); see infer-version --help\n");
}

}  // namespace
}  // namespace infer
