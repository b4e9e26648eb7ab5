// SPDX-License-Identifier: Apache-2.0
#include "runtime/replacement_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "ir/base/strings.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class ReplacementFileTest : public ::testing::Test {
 protected:
  ReplacementFileTest()
      : folder_(::testing::TempDir() + "/replacement_file_" +
                ::testing::UnitTest::GetInstance()->current_test_info()->name()),
        path_(folder_ + "/weights") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
  }
  std::string Contents() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  // Creates a temporary file as a killed process leaves it.
  std::string Leave(const std::string& ending, std::chrono::seconds age) const {
    const std::string name = path_ + ending;
    std::ofstream(name) << "part";
    fs::last_write_time(name, fs::file_time_type::clock::now() - age);
    return name;
  }
  static absl::Status Write(ReplacementFile& file, std::string_view text) {
    return file.Write(std::as_bytes(std::span(text)));
  }

  std::string folder_;
  std::string path_;
};

constexpr std::chrono::seconds kOld{120};

TEST_F(ReplacementFileTest, AppearsWhenItIsCommitted) {
  for (const char* text : {"first", "second"}) {
    absl::StatusOr<ReplacementFile> file = ReplacementFile::Create(path_);
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_TRUE(Write(*file, text).ok());
    EXPECT_NE(Contents(), text);
    ASSERT_TRUE(file->Commit().ok());
    EXPECT_EQ(Contents(), text);
    EXPECT_THAT(Names(), ElementsAre("weights"));
  }
}

TEST_F(ReplacementFileTest, WorksWithoutNamelessFiles) {
  std::ofstream(path_) << "first";
  absl::StatusOr<ReplacementFile> file = ReplacementFile::CreateNamed(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE(Write(*file, "second").ok());
  EXPECT_EQ(Names().size(), 2u);
  EXPECT_EQ(Contents(), "first");
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_EQ(Contents(), "second");
  EXPECT_THAT(Names(), ElementsAre("weights"));
}

TEST_F(ReplacementFileTest, LeavesNothingWithoutCommit) {
  for (auto* create : {&ReplacementFile::Create, &ReplacementFile::CreateNamed}) {
    absl::StatusOr<ReplacementFile> file = create(path_);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(Write(*file, "text").ok());
  }
  EXPECT_THAT(Names(), ElementsAre());
}

#if defined(O_TMPFILE)
TEST_F(ReplacementFileTest, AKilledProcessLeavesNothing) {
  const int probe = open(folder_.c_str(), O_TMPFILE | O_WRONLY, 0644);
  if (probe < 0) GTEST_SKIP() << "the file system has no nameless files";
  close(probe);
  const pid_t child = fork();
  if (child == 0) {
    absl::StatusOr<ReplacementFile> file = ReplacementFile::Create(path_);
    if (file.ok() && Write(*file, "text").ok()) raise(SIGKILL);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_THAT(Names(), ElementsAre());
}
#endif

// Also the names of earlier versions, which ended in the number of a process.
TEST_F(ReplacementFileTest, RemovesWhatKilledProcessesLeft) {
  Leave(".0123456789abcdef.tmp", kOld);
  Leave(".1.tmp", kOld);
  Leave(".young.tmp", std::chrono::seconds(0));
  Leave(".other", kOld);
  ASSERT_TRUE(ReplacementFile::Create(path_).ok());
  EXPECT_THAT(Names(), ElementsAre("weights.other", "weights.young.tmp"));
}

TEST_F(ReplacementFileTest, KeepsWhatAnotherProcessIsWriting) {
  const std::string name = Leave(".0123456789abcdef.tmp", kOld);
  const int writer = open(name.c_str(), O_WRONLY);
  ASSERT_EQ(flock(writer, LOCK_EX | LOCK_NB), 0);
  ASSERT_TRUE(ReplacementFile::Create(path_).ok());
  EXPECT_TRUE(fs::exists(name));
  close(writer);
  ASSERT_TRUE(ReplacementFile::Create(path_).ok());
  EXPECT_FALSE(fs::exists(name));
}

TEST_F(ReplacementFileTest, SaysWhatCannotBeCreatedOrReplaced) {
  const absl::Status missing = ReplacementFile::Create("/no/such/folder/x").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(ToStd(missing.message()), HasSubstr("/no/such/folder/x: cannot be created: No such"));
  fs::create_directory(path_);
  absl::StatusOr<ReplacementFile> file = ReplacementFile::Create(path_);
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(ToStd(file->Commit().message()), HasSubstr("cannot be replaced"));
}

}  // namespace
}  // namespace infer
