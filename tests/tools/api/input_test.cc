// SPDX-License-Identifier: Apache-2.0
#include "tools/api/input.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/tools/cli/captured_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

TEST(ReadInput, GivesEveryByte) {
  TempDir dir;
  std::string text("a\0b\r\n", 5);
  text += std::string(200000, 'x');
  WriteFile(dir.Path("f"), text);
  EXPECT_EQ(*ReadInput(dir.Path("f"), text.size()), text);
}

TEST(ReadInput, RefusesTooMuchAndNothingAndADirectory) {
  TempDir dir;
  WriteFile(dir.Path("f"), "12345");
  absl::Status status = ReadInput(dir.Path("f"), 4).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("more than the 4 bytes"));
  for (const std::string& path : {dir.Path("f"), dir.Path("none"), dir.path(), std::string()}) {
    EXPECT_EQ(ExitCodeFor(ReadInput(path, 4).status()), kExitBadInput) << path;
  }
}

TEST(ReadInput, AsksAboutTheHeadBeforeTheSize) {
  TempDir dir;
  std::vector<std::string> heads;
  auto refuse_x = [&](std::string_view head) {
    heads.emplace_back(head);
    return head.starts_with("x") ? absl::InvalidArgumentError("begins with x") : absl::OkStatus();
  };
  WriteFile(dir.Path("x"), std::string(100000, 'x'));
  EXPECT_EQ(ReadInput(dir.Path("x"), 1000, refuse_x).status().message(), "begins with x");
  WriteFile(dir.Path("y"), "y" + std::string(100000, 'x'));
  EXPECT_EQ(ReadInput(dir.Path("y"), 200000, refuse_x)->size(), 100001u);
  WriteFile(dir.Path("short"), "y");
  EXPECT_EQ(*ReadInput(dir.Path("short"), 1000, refuse_x), "y");
  WriteFile(dir.Path("empty"), "");
  EXPECT_EQ(*ReadInput(dir.Path("empty"), 1000, refuse_x), "");
  // Once for each file, however many reads it takes.
  EXPECT_THAT(heads,
              ::testing::ElementsAre(std::string(512, 'x'), "y" + std::string(511, 'x'), "y", ""));
}

TEST(ReadInput, NamesAModelThatIsTooLarge) {
  TempDir dir;
  WriteFile(dir.Path("m"), std::string("GGUF\3\0\0\0", 8) + std::string(100, 'x'));
  EXPECT_THAT(std::string(ReadInput(dir.Path("m"), 50).status().message()),
              HasSubstr("is a GGUF model, which holds more than the 50 bytes"));
  WriteFile(dir.Path("t"), "GGUF is a format of files");
  EXPECT_EQ(ReadInput(dir.Path("t"), 100)->size(), 25u);
  EXPECT_THAT(std::string(ReadInput(dir.Path("t"), 5).status().message()),
              ::testing::Not(HasSubstr("GGUF")));
}

// Reads what arrives after a signal whose handler does not restart system calls.
class InterruptedRead : public ::testing::Test {
 protected:
  InterruptedRead() {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    sigaction(SIGUSR1, &action, &former_);
    path_ = dir_.Path("fifo");
    EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0);
  }
  ~InterruptedRead() override { sigaction(SIGUSR1, &former_, nullptr); }

  // Sends the signal until the reader is done, and writes after the first few.
  absl::StatusOr<std::string> Read(const std::atomic<bool>* stop, bool writes) {
    std::atomic<bool> done = false;
    const pthread_t reader = pthread_self();
    bool has_written = false;
    std::thread other([&] {
      int fd = -1;
      for (int sent = 1; !done; ++sent) {
        pthread_kill(reader, SIGUSR1);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (!writes || sent % 10 != 0) continue;
        // In three steps, the first of which fails until the reader has opened the file.
        if (fd < 0) {
          fd = open(path_.c_str(), O_WRONLY | O_NONBLOCK);
        } else if (!has_written) {
          has_written = true;
          EXPECT_EQ(write(fd, "text", 4), 4);
        } else {
          close(fd);
          writes = false;
        }
      }
    });
    absl::StatusOr<std::string> text = ReadInput(path_, 100, {}, stop);
    done = true;
    other.join();
    return text;
  }

  TempDir dir_;
  std::string path_;
  struct sigaction former_ = {};
};

TEST_F(InterruptedRead, GoesOnAfterASignalThatIsNotForIt) {
  const absl::StatusOr<std::string> text = Read(nullptr, true);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, "text");
}

TEST_F(InterruptedRead, EndsIfItIsToStop) {
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(absl::IsCancelled(Read(&stop, false).status()));
}

}  // namespace
}  // namespace infer
