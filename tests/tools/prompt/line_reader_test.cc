// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace infer {
namespace {

class LineReaderTest : public ::testing::Test {
 protected:
  LineReaderTest() { EXPECT_EQ(pipe(ends_), 0); }
  ~LineReaderTest() override {
    close(ends_[0]);
    CloseWriter();
  }
  void Write(const std::string& text) {
    EXPECT_EQ(write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void CloseWriter() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  int reader() const { return ends_[0]; }

  std::atomic<bool> stop_{false};

 private:
  int ends_[2] = {-1, -1};
};

TEST_F(LineReaderTest, HandsOutLinesAndTheRest) {
  Write("one\n\ntwo\r\nrest");
  CloseWriter();
  LineReader lines(reader(), 100, &stop_);
  for (const char* expected : {"one", "", "two\r", "rest"}) {
    absl::StatusOr<std::optional<std::string>> line = lines.Next();
    ASSERT_TRUE(line.ok());
    EXPECT_EQ(*line, expected);
  }
  EXPECT_EQ(*lines.Next(), std::nullopt);
  EXPECT_EQ(*lines.Next(), std::nullopt);
}

TEST_F(LineReaderTest, HandsOutALineBeforeTheNextOneComes) {
  LineReader lines(reader(), 100, &stop_);
  Write("one\ntw");
  EXPECT_EQ(*lines.Next(), "one");
  Write("o\n");
  EXPECT_EQ(*lines.Next(), "two");
}

TEST_F(LineReaderTest, StopsWaitingWhenTold) {
  LineReader lines(reader(), 100, &stop_);
  std::thread other([this] { stop_ = true; });  // no signal reaches the reading thread
  EXPECT_EQ(lines.Next().status().code(), absl::StatusCode::kCancelled);
  other.join();
}

TEST_F(LineReaderTest, RefusesALineWithoutEnd) {
  LineReader lines(reader(), 100, &stop_);
  Write(std::string(200, 'x'));
  EXPECT_EQ(lines.Next().status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(LineReaderTest, SaysWhyItCannotRead) {
  LineReader lines(/*fd=*/9999, 100, &stop_);  // not open
  EXPECT_EQ(lines.Next().status().message(), "stdin: cannot be read: Bad file descriptor");
}

}  // namespace
}  // namespace infer
