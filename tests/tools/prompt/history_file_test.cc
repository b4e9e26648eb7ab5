// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/history_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(HistoryPath, FollowsTheXdgRules) {
  EXPECT_EQ(HistoryPath(LookupIn({{"XDG_STATE_HOME", "/s"}, {"HOME", "/h"}})), "/s/infer/history");
  EXPECT_EQ(HistoryPath(LookupIn({{"XDG_STATE_HOME", "s"}, {"HOME", "/h"}})),
            "/h/.local/state/infer/history");
  EXPECT_EQ(HistoryPath(LookupIn({})), "");
}

TEST(HistoryFile, KeepsTextsOfAnyKindForItsOwnerAlone) {
  TempDir dir;
  const std::string path = dir.Path("state/infer/history");
  HistoryFile history(path);
  EXPECT_THAT(*history.Load(), IsEmpty());
  for (const char* text : {"one", "two\nlines \"\"\" \\", "漢字\t"}) {
    ASSERT_TRUE(history.Append(text).ok());
  }
  EXPECT_THAT(*HistoryFile(path).Load(), ElementsAre("one", "two\nlines \"\"\" \\", "漢字\t"));
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(stat(dir.Path("state/infer").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST(HistoryFile, TakesBackPermissionsThatOthersHad) {
  TempDir dir;
  WriteFile(dir.Path("history"), "\"old\"\n");
  chmod(dir.Path("history").c_str(), 0666);
  ASSERT_TRUE(HistoryFile(dir.Path("history")).Append("new").ok());
  struct stat info;
  ASSERT_EQ(stat(dir.Path("history").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(HistoryFile, SkipsWhatIsNoEntry) {
  TempDir dir;
  WriteFile(dir.Path("history"), "\"one\"\nnothing\n{\"a\":1}\n\n[[[[\n\"two\"\n\"thr");
  EXPECT_THAT(*HistoryFile(dir.Path("history")).Load(), ElementsAre("one", "two"));
}

TEST(HistoryFile, StaysWithinItsLimits) {
  TempDir dir;
  const std::string path = dir.Path("history");
  std::string lines;
  for (int i = 0; i < 2500; ++i) lines += "\"" + std::to_string(i) + "\"\n";
  WriteFile(path, lines);
  const std::vector<std::string> loaded = *HistoryFile(path).Load();
  ASSERT_EQ(loaded.size(), 1000u);
  EXPECT_EQ(loaded[0], "1500");
  EXPECT_EQ(loaded[999], "2499");
  EXPECT_LT(ReadFile(path).size(), lines.size() / 2) << "the file was shortened";
  EXPECT_EQ(*HistoryFile(path).Load(), loaded);

  ASSERT_TRUE(HistoryFile(path).Append(std::string(100'000, 'x')).ok());
  EXPECT_EQ(*HistoryFile(path).Load(), loaded) << "a text that is too long is not kept";
}

TEST(HistoryFile, SaysWhyItCannotBeWritten) {
  const absl::Status status = HistoryFile("/proc/nowhere/history").Append("x");
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("/proc/nowhere/history"));
}

}  // namespace
}  // namespace infer
