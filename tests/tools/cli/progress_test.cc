// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/progress.h"

#include <gtest/gtest.h>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

TEST(ProgressText, ShowsBarCountsRateAndTimeLeft) {
  EXPECT_EQ(ProgressText("prefill", 250, 1000, "tokens", 2.0, 8),
            "prefill [##......]  25% 250/1000 tokens 125 tokens/s, 6 s left");
  EXPECT_EQ(ProgressText("prefill", 1000, 1000, "tokens", 100.0, 0),
            "prefill 100% 1000/1000 tokens 10.0 tokens/s");
  EXPECT_EQ(ProgressText("hash", 1, 7201, "rows", 1.0, 0),
            "hash   0% 1/7201 rows 1.0 rows/s, 2:00 h left");
}

TEST(ProgressText, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(ProgressText("read", 5, 0, "files", 1.0, 8), "read 5 files 5.0 files/s");
  EXPECT_EQ(ProgressText("read", 0, 10, "files", 0.0, 4), "read [....]   0% 0/10 files");
  EXPECT_EQ(ProgressText("read", 20, 10, "files", 1.0, 4),
            "read [####] 100% 20/10 files 20.0 files/s");
}

TEST(Progress, ShortWorkLeavesNothingInALog) {
  CapturedFd captured;
  Console console(captured.fd());
  {
    Progress progress(&console, "work", 10, "steps");
    for (int i = 0; i < 10; ++i) progress.Advance(1);
    progress.SetNote("done");
    progress.Update(10);
  }
  EXPECT_EQ(captured.Text(), "");
}

}  // namespace
}  // namespace infer
