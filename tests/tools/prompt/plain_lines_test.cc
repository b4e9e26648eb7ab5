// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/plain_lines.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

using Kind = InputLine::Kind;

TEST(PlainLines, AsksAndReads) {
  Interrupt interrupt;
  CapturedFd asked;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "one\n", 4), 4);
  PlainLines lines(ends[0], 100, &interrupt, asked.fd());
  EXPECT_EQ(lines.Next("> ")->text, "one");
  EXPECT_FALSE(interrupt.requested());
  raise(SIGINT);
  EXPECT_EQ(lines.Next("> ")->kind, Kind::kInterrupt);
  EXPECT_FALSE(interrupt.requested()) << "the next signal is a first one";
  close(ends[1]);
  EXPECT_EQ(lines.Next("> ")->kind, Kind::kEnd);
  EXPECT_EQ(asked.Text(), "> > \n> ");
  close(ends[0]);
}

TEST(PlainLines, WithoutAPromptASignalEndsTheProgram) {
  Interrupt interrupt;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  PlainLines lines(ends[0], 100, &interrupt, -1);
  EXPECT_FALSE(interrupt.requested());
  raise(SIGINT);
  EXPECT_TRUE(absl::IsCancelled(lines.Next("> ").status()));
  EXPECT_TRUE(interrupt.requested());
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace infer
