// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/open_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

class OpenPageTest : public ::testing::Test {
 protected:
  // Both names: the test is the same on macOS.
  void AddOpener(const std::string& script) {
    for (const char* name : {"open", "xdg-open"}) {
      WriteFile(dir_.Path(name), "#!/bin/sh\n" + script);
      std::filesystem::permissions(dir_.Path(name), std::filesystem::perms::owner_all);
    }
  }
  TempDir dir_;
};

TEST_F(OpenPageTest, GivesThePathAsOneArgument) {
  AddOpener("printf '%s|' \"$@\" > " + dir_.Path("seen") + "\n");
  const std::string page = dir_.Path("a b; $c.html");
  EXPECT_EQ(OpenPage(page, "/nowhere:" + dir_.path()), absl::OkStatus());
  EXPECT_EQ(ReadFile(dir_.Path("seen")), page + "|");
}

TEST_F(OpenPageTest, MakesThePathAbsolute) {
  AddOpener("printf '%s' \"$1\" > " + dir_.Path("seen") + "\n");
  EXPECT_EQ(OpenPage("-x.html", dir_.path()), absl::OkStatus());
  EXPECT_EQ(ReadFile(dir_.Path("seen")), (std::filesystem::current_path() / "-x.html").string());
}

TEST_F(OpenPageTest, NamesThePageIfNothingShowsIt) {
  const std::string page = dir_.Path("p.html");
  absl::Status none = OpenPage(page, dir_.path());
  EXPECT_EQ(none.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(none.message()), HasSubstr(page));
  AddOpener("exit 3\n");
  absl::Status failed = OpenPage(page, dir_.path());
  EXPECT_THAT(std::string(failed.message()), HasSubstr(page + "; " + dir_.path()));
}

// One that waited would hang here.
TEST_F(OpenPageTest, DoesNotWaitForABrowser) {
  const std::string over = dir_.Path("over");
  ASSERT_EQ(mkfifo(over.c_str(), 0600), 0);
  AddOpener("read line <" + over + "\n");
  EXPECT_EQ(OpenPage(dir_.Path("p.html"), dir_.path() + ":/usr/bin:/bin"), absl::OkStatus());
  WriteFile(over, "\n");
}

}  // namespace
}  // namespace infer
