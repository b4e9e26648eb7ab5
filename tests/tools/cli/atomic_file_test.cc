// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "ir/base/strings.h"
#include "tests/tools/cli/captured_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(AtomicFile, AppearsOnlyWithCommit) {
  TempDir dir;
  auto file = AtomicFile::Create(dir.Path("a"), nullptr);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE((*file)->Write("hello ").ok());
  ASSERT_TRUE((*file)->Write(std::string(3 << 20, 'x')).ok());  // past the buffer
  EXPECT_FALSE(std::filesystem::exists(dir.Path("a")));
  ASSERT_TRUE((*file)->Commit().ok());
  EXPECT_EQ(ReadFile(dir.Path("a")), "hello " + std::string(3 << 20, 'x'));
  EXPECT_THAT(dir.Names(), ElementsAre("a"));
}

TEST(AtomicFile, LeavesTheOldFileAndNoTempWithoutCommit) {
  TempDir dir;
  WriteFile(dir.Path("a"), "old");
  {
    auto file = AtomicFile::Create(dir.Path("a"), nullptr);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->Write("new").ok());
  }
  EXPECT_EQ(ReadFile(dir.Path("a")), "old");
  EXPECT_THAT(dir.Names(), ElementsAre("a"));
}

TEST(AtomicFile, TwoWritersBothEndInACompleteFile) {
  TempDir dir;
  auto write_all = [&](char letter) {
    auto file = AtomicFile::Create(dir.Path("a"), nullptr);
    ASSERT_TRUE(file.ok());
    for (int i = 0; i < 100; ++i) ASSERT_TRUE((*file)->Write(std::string(100000, letter)).ok());
    EXPECT_TRUE((*file)->Commit().ok());
  };
  std::thread first(write_all, 'a');
  std::thread second(write_all, 'b');
  first.join();
  second.join();
  std::string text = ReadFile(dir.Path("a"));
  EXPECT_EQ(text, std::string(10000000, text.at(0)));
  EXPECT_THAT(dir.Names(), ElementsAre("a"));
}

TEST(AtomicFile, KeepsPermissionsAndSymbolicLinks) {
  TempDir dir;
  WriteFile(dir.Path("real"), "old");
  ASSERT_EQ(chmod(dir.Path("real").c_str(), 0640), 0);
  ASSERT_EQ(symlink("real", dir.Path("link").c_str()), 0);
  auto file = AtomicFile::Create(dir.Path("link"), nullptr);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE((*file)->Write("new").ok());
  ASSERT_TRUE((*file)->Commit().ok());
  EXPECT_TRUE(std::filesystem::is_symlink(dir.Path("link")));
  EXPECT_EQ(ReadFile(dir.Path("real")), "new");
  struct stat info;
  ASSERT_EQ(stat(dir.Path("real").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
}

TEST(AtomicFile, DashIsStdout) {
  CapturedFd captured;
  ProductOutput product(captured.fd());
  auto file = AtomicFile::Create("-", &product);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE((*file)->Write("text").ok());
  ASSERT_TRUE((*file)->Commit().ok());
  EXPECT_EQ(captured.Text(), "text");
}

TEST(AtomicFile, WritesADeviceInPlaceAndReportsItFull) {
  auto null = AtomicFile::Create("/dev/null", nullptr);
  ASSERT_TRUE(null.ok());
  ASSERT_TRUE((*null)->Write("text").ok());
  ASSERT_TRUE((*null)->Commit().ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));

  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  auto full = AtomicFile::Create("/dev/full", nullptr);
  ASSERT_TRUE(full.ok());
  ASSERT_TRUE((*full)->Write("text").ok());
  absl::Status status = (*full)->Commit();
  EXPECT_EQ(ExitCodeFor(status), kExitRuntime);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/dev/full: write failed: No space left"));
}

TEST(AtomicFile, RefusesADirectoryAndAMissingOne) {
  TempDir dir;
  auto directory = AtomicFile::Create(dir.path(), nullptr);
  EXPECT_THAT(std::string(directory.status().message()), HasSubstr("is a directory"));
  auto missing = AtomicFile::Create(dir.Path("none/a"), nullptr);
  EXPECT_EQ(ExitCodeFor(missing.status()), kExitRuntime);
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("No such file or directory"));
  EXPECT_EQ(ExitCodeFor(AtomicFile::Create("", nullptr).status()), kExitRuntime);
  EXPECT_THAT(dir.Names(), IsEmpty());
}

}  // namespace
}  // namespace infer
