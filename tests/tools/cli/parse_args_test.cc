// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/parse_args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ParseArgsTest : public ::testing::Test {
 protected:
  ParsedArgs Parse(const std::vector<std::string>& args) {
    absl::StatusOr<ParsedArgs> parsed = ParseArgs("tool", flags_, args);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    return parsed.ok() ? *parsed : ParsedArgs();
  }
  std::string Error(const std::vector<std::string>& args) {
    absl::Status status = ParseArgs("tool", flags_, args).status();
    EXPECT_EQ(ExitCodeFor(status), kExitUsage);
    return std::string(status.message());
  }

  Flag predict_{"-n,--predict", FlagKind::kValue, "N", ""};
  Flag layers_{"-ngl,--gpu-layers", FlagKind::kValue, "N", ""};
  Flag stop_{"--stop", FlagKind::kList, "TEXT", ""};
  Flag chat_{"-c,--chat-mode", FlagKind::kSwitch, "", ""};
  Flag verbose_{"-v,--verbose", FlagKind::kCount, "", ""};
  std::vector<const Flag*> flags_ = {&predict_, &layers_, &stop_, &chat_, &verbose_};
};

TEST_F(ParseArgsTest, TakesEverySpellingOfAValue) {
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"--predict", "5"}, {"--predict=5"}, {"-n", "5"}, {"-n5"}, {"-n=5"}, {"-cn", "5"}}) {
    EXPECT_THAT(Parse(args).values[&predict_], ElementsAre("5")) << args[0];
  }
  EXPECT_THAT(Parse({"-ngl", "9"}).values[&layers_], ElementsAre("9"));
  EXPECT_THAT(Parse({"--gpu_layers=9"}).values[&layers_], ElementsAre("9"));
  EXPECT_THAT(Parse({"--gpu_layers", "a_b"}).values[&layers_], ElementsAre("a_b"));
}

TEST_F(ParseArgsTest, KeepsValuesUntouched) {
  EXPECT_THAT(
      Parse({"--stop", "", "--stop=", "--stop=a=b", "--stop", "-ngl", "--stop", "--x_y", "--stop",
             "[a,b]", "--stop", "--", "--stop", "{}", "--stop", "\"q\"", "--stop", "-5",
             "--stop=%%"})
          .values[&stop_],
      ElementsAre("", "", "a=b", "-ngl", "--x_y", "[a,b]", "--", "{}", "\"q\"", "-5", "%%"));
}

TEST_F(ParseArgsTest, ReadsSwitchesAndCounts) {
  EXPECT_THAT(Parse({"--chat-mode"}).values[&chat_], ElementsAre("true"));
  EXPECT_THAT(Parse({"--no-chat_mode"}).values[&chat_], ElementsAre("false"));
  EXPECT_THAT(Parse({"--chat-mode=off"}).values[&chat_], ElementsAre("off"));
  EXPECT_THAT(Parse({"-vv", "--verbose"}).values[&verbose_], ElementsAre("true", "true", "true"));
  ParsedArgs both = Parse({"-vc"});
  EXPECT_EQ(both.values.size(), 2u);
}

TEST_F(ParseArgsTest, LeavesPositionalsInOrder) {
  EXPECT_THAT(Parse({"a", "-n", "5", "-", "-7", "[b,c]", "--", "-n", "--", "d"}).positionals,
              ElementsAre("a", "-", "-7", "[b,c]", "-n", "--", "d"));
  EXPECT_THAT(Parse({"", "x"}).positionals, ElementsAre("", "x"));
}

TEST_F(ParseArgsTest, RefusesUnknownFlagsWithTheNearest) {
  EXPECT_EQ(Error({"--predcit=5"}),
            "unknown flag --predcit (did you mean --predict?); see tool --help");
  EXPECT_THAT(Error({"--no-predict"}), HasSubstr("unknown flag --no-predict"));
  EXPECT_THAT(Error({"-ngk", "5"}), HasSubstr("unknown flag -ngk (did you mean -ngl?)"));
  EXPECT_THAT(Error({"-x"}), HasSubstr("unknown flag -x"));
  EXPECT_THAT(Error({"-vx"}), HasSubstr("unknown flag -vx"));
}

TEST_F(ParseArgsTest, RefusesAMissingValue) {
  EXPECT_EQ(Error({"-v", "-n"}), "-n: a value is missing; see tool --help");
  EXPECT_EQ(Error({"--predict"}), "--predict: a value is missing; see tool --help");
  EXPECT_EQ(Error({"-vn"}), "-vn: a value is missing; see tool --help");
}

}  // namespace
}  // namespace infer
