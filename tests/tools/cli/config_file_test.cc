// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/cli/captured_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(ConfigFile, ReadsScalarsAndArrays) {
  TempDir dir;
  WriteFile(dir.Path("c"), R"({"kv_type": "f16", "n": 5, "temp": 0.5, "chat": true,
                               "stop": ["a", "b,c"]})");
  auto values = ReadConfigFile(dir.Path("c"));
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(*values, UnorderedElementsAre(
                           Pair("kv-type", ElementsAre("f16")), Pair("n", ElementsAre("5")),
                           Pair("temp", ElementsAre("0.5")), Pair("chat", ElementsAre("true")),
                           Pair("stop", ElementsAre("a", "b,c"))));
}

TEST(ConfigFile, RefusesWhatIsNoFlatObject) {
  TempDir dir;
  for (const char* text : {"", "{", "[1]", "3", R"({"a": {"b": 1}})", R"({"a": null})",
                           R"({"a": [[1]]})", "{\"a\": \"\xff\"}"}) {
    WriteFile(dir.Path("c"), text);
    absl::Status status = ReadConfigFile(dir.Path("c")).status();
    EXPECT_EQ(ExitCodeFor(status), kExitBadInput) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(dir.Path("c"))) << text;
  }
}

TEST(ConfigFile, RefusesADeepOneAMissingOneAndAHugeOne) {
  TempDir dir;
  WriteFile(dir.Path("deep"), "{\"a\":" + std::string(500000, '['));
  EXPECT_EQ(ExitCodeFor(ReadConfigFile(dir.Path("deep")).status()), kExitBadInput);
  EXPECT_EQ(ExitCodeFor(ReadConfigFile(dir.Path("none")).status()), kExitBadInput);
  WriteFile(dir.Path("huge"), std::string(2 << 20, ' '));
  EXPECT_EQ(ExitCodeFor(ReadConfigFile(dir.Path("huge")).status()), kExitBadInput);
}

}  // namespace
}  // namespace infer
