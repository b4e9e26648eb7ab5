// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/exit_code.h"

#include <gtest/gtest.h>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

TEST(ExitCode, FollowsTheTable) {
  EXPECT_EQ(ExitCodeFor(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCodeFor(absl::InternalError("x")), 1);
  EXPECT_EQ(ExitCodeFor(absl::AbortedError("x")), 1);
  EXPECT_EQ(ExitCodeFor(UsageError("x")), 2);
  EXPECT_EQ(ExitCodeFor(absl::InvalidArgumentError("x")), 3);
  EXPECT_EQ(ExitCodeFor(absl::DataLossError("x")), 3);
  EXPECT_EQ(ExitCodeFor(absl::NotFoundError("x")), 3);
  EXPECT_EQ(ExitCodeFor(absl::ResourceExhaustedError("x")), 4);
  EXPECT_EQ(ExitCodeFor(absl::UnavailableError("x")), 5);
  EXPECT_EQ(ExitCodeFor(absl::UnimplementedError("x")), 5);
  EXPECT_EQ(ExitCodeFor(VerificationFailed("x")), 6);
  EXPECT_EQ(ExitCodeFor(absl::CancelledError("x")), 130);
  EXPECT_EQ(ExitCodeFor(WithExitCode(absl::CancelledError("x"), kExitTerminated)), 143);
}

TEST(ErrorLine, IsOneLineWhateverTheMessage) {
  EXPECT_EQ(ErrorLine(UsageError("plain")), "error: plain\n");
  EXPECT_EQ(ErrorLine(UsageError("a\nb\tc\x1b[2J\x7f")), "error: a\\nb\\tc\\x1b[2J\\x7f\n");
  EXPECT_EQ(ErrorLine(UsageError("größe")), "error: größe\n");
  EXPECT_EQ(ErrorLine(absl::InternalError("")), "error: failed without a message\n");
}

TEST(PrintError, WritesAtOnce) {
  CapturedFd captured;
  PrintError(captured.fd(), UsageError("what"));
  EXPECT_EQ(captured.Text(), "error: what\n");
}

}  // namespace
}  // namespace infer
