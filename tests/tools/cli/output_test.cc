// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

TEST(ProductOutput, BuffersUntilFlush) {
  CapturedFd captured;
  ProductOutput out(captured.fd());
  ASSERT_TRUE(out.Write("a").ok());
  EXPECT_EQ(captured.Text(), "");
  ASSERT_TRUE(out.Stream("b").ok());
  EXPECT_EQ(captured.Text(), "ab");
}

TEST(ProductOutput, EndsTheLastLineInATerminalOnly) {
  for (const char* text : {"a", "a\n", ""}) {
    CapturedFd captured;
    ProductOutput file(captured.fd());
    ASSERT_TRUE(file.Write(text).ok());
    ASSERT_TRUE(file.Finish().ok());
    EXPECT_EQ(captured.Text(), text);

    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_TRUE(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    const int shown = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    ASSERT_GE(shown, 0);
    ProductOutput out(shown);
    ASSERT_TRUE(out.Write(text).ok());
    ASSERT_TRUE(out.Finish().ok());
    ASSERT_TRUE(out.Stream("|").ok());
    std::string seen;  // what was written arrives in pieces
    for (char next = 0; next != '|'; seen += next) ASSERT_EQ(read(terminal, &next, 1), 1);
    EXPECT_EQ(seen, *text == '\0' ? "|" : "a\r\n|");
    close(shown);
    close(terminal);
  }
}

TEST(ProductOutput, KeepsOrderPastTheBuffer) {
  CapturedFd captured;
  ProductOutput out(captured.fd());
  std::string expected;
  for (int i = 0; i < 50; ++i) {
    std::string piece(static_cast<size_t>(i) * 4000, static_cast<char>('a' + i % 26));
    ASSERT_TRUE(out.Write(piece).ok());
    expected += piece;
  }
  ASSERT_TRUE(out.Flush().ok());
  EXPECT_EQ(captured.Text(), expected);
}

TEST(ProductOutput, ReportsAFullDiskAndKeepsReporting) {
  int fd = open("/dev/full", O_WRONLY);
  if (fd < 0) GTEST_SKIP() << "no /dev/full on this system";
  ProductOutput out(fd);
  EXPECT_TRUE(out.Write("a").ok());
  EXPECT_THAT(std::string(out.Flush().message()), HasSubstr("stdout: write failed: No space left"));
  EXPECT_FALSE(out.Write("b").ok());
  EXPECT_FALSE(out.Flush().ok());
  close(fd);
}

TEST(ProductOutput, ReportsAReaderThatHasGoneAndAClosedStdout) {
  IgnoreWriteSignals();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_THAT(std::string(ProductOutput(ends[1]).Stream("x").message()),
              HasSubstr("reader has closed the pipe"));
  close(ends[1]);
  EXPECT_FALSE(ProductOutput(ends[1]).Stream("x").ok());
}

TEST(ProductOutput, WaitsForASlowReaderOfANonBlockingPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  std::string sent(1 << 20, 'x');
  absl::Status status;
  std::thread writer([&] {
    status = ProductOutput(ends[1]).Stream(sent);
    close(ends[1]);
  });
  std::string received;
  char chunk[1000];
  for (ssize_t count; (count = read(ends[0], chunk, sizeof(chunk))) > 0;) {
    received.append(chunk, static_cast<size_t>(count));
  }
  writer.join();
  close(ends[0]);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(received, sent);
}

}  // namespace
}  // namespace infer
