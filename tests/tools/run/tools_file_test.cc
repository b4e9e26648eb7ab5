// SPDX-License-Identifier: Apache-2.0
#include "tools/run/tools_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ToolsFile : public ::testing::Test {
 protected:
  absl::StatusOr<std::vector<std::string>> Read(const std::string& text) {
    WriteFile(dir_.Path("tools.json"), text);
    return ReadToolsFile(dir_.Path("tools.json"));
  }
  std::string ErrorOf(const std::string& text) {
    return std::string(Read(text).status().message());
  }
  TempDir dir_;
};

TEST_F(ToolsFile, KeepsEachToolWithItsOrder) {
  EXPECT_THAT(
      Read(R"([{"type": "function", "function": {"name": "b", "a": 1}}, {"name": "c"}])").value(),
      ElementsAre(R"({"type":"function","function":{"name":"b","a":1}})", R"({"name":"c"})"));
  EXPECT_THAT(Read(R"({"tools": [{"name": "c"}]})").value(), ElementsAre(R"({"name":"c"})"));
}

TEST_F(ToolsFile, SaysWhatIsWrong) {
  EXPECT_THAT(ErrorOf("[{"), HasSubstr("is not JSON"));
  EXPECT_THAT(ErrorOf("{}"), HasSubstr("is not an array of tools"));
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("has no tools"));
  EXPECT_THAT(ErrorOf(R"([{"name": "a"}, {"function": {}}])"), HasSubstr("tool 1 has no \"name\""));
  EXPECT_THAT(ErrorOf("[7]"), HasSubstr("tool 0 is not an object"));
  EXPECT_THAT(ErrorOf(std::string(100, '[') + std::string(100, ']')), HasSubstr("nested deeper"));
}

TEST_F(ToolsFile, ListsNamesAndDescriptions) {
  EXPECT_EQ(
      ToolsText({R"({"function": {"name": "a", "description": "Does it"}})", R"({"name": "b"})"}),
      "a: Does it\nb");
}

}  // namespace
}  // namespace infer
