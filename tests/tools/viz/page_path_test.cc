// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/page_path.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/tools/cli/captured_run.h"
#include "tools/viz/html.h"

namespace infer {
namespace {

namespace fs = std::filesystem;

class PagePathTest : public ::testing::Test {
 protected:
  PagePathTest() : former_(fs::current_path()) {
    fs::create_directory(dir_.Path("current"));
    fs::current_path(dir_.Path("current"));
  }
  ~PagePathTest() override { fs::current_path(former_); }

  TempDir dir_;
  const fs::path former_;
};

TEST_F(PagePathTest, IsBesideTheProgram) {
  EXPECT_EQ(PagePath(dir_.Path("m.gguf"), /*in_current_folder=*/false).value(),
            dir_.Path("m.html"));
  EXPECT_EQ(PagePath(dir_.Path("m.gguf"), /*in_current_folder=*/true).value(), "m.html");
  EXPECT_EQ(PagePath("p.pb", /*in_current_folder=*/false).value(), "p.html");
  EXPECT_EQ(dir_.Names(), std::vector<std::string>{"current"}) << "nothing is left of the attempt";
}

TEST_F(PagePathTest, ReplacesAPageAndNothingElse) {
  WriteFile(dir_.Path("m.html"), "<title>a model" + std::string(kPageTitleEnd) + "\n");
  EXPECT_EQ(PagePath(dir_.Path("m.gguf"), false).value(), dir_.Path("m.html"));
  WriteFile(dir_.Path("m.html"), "<title>mine</title>\n");
  EXPECT_EQ(PagePath(dir_.Path("m.gguf"), false).value(), "m.html");
  // The current folder has one of these too.
  fs::create_directory("m.html");
  const fs::path last = PagePath(dir_.Path("m.gguf"), false).value();
  EXPECT_EQ(last.filename(), "m.html");
  EXPECT_TRUE(fs::is_empty(last.parent_path()));
  EXPECT_TRUE(fs::equivalent(last.parent_path().parent_path(), fs::temp_directory_path()));
  fs::remove(last.parent_path());
}

// Nobody can create a file in /dev/fd, not even root.
TEST_F(PagePathTest, IsInTheCurrentFolderIfTheProgramsCannotBeWritten) {
  if (!fs::exists("/dev/fd")) GTEST_SKIP() << "this system has no /dev/fd";
  const int fd = open(".", O_RDONLY | O_DIRECTORY);
  const std::string name = std::to_string(fd);
  EXPECT_EQ(PagePath("/dev/fd/" + name, false).value(), name + ".html");
  close(fd);
}

}  // namespace
}  // namespace infer
