// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/help_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/tools/cli/captured_run.h"
#include "tools/cli/flag_text.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HelpText, GroupsFlagsWithDefaultsAndExamples) {
  int32_t predict = 256;
  bool warmup = true;
  std::string file;
  std::vector<std::string> stop;
  Flags flags("tool", "Does it.");
  flags.Section("Generation");
  flags.Int("-n,--predict", &predict, "N", "new tokens").Alias("--max-tokens");
  flags.TextList("--stop", &stop, "TEXT", std::string(200, 'x') + " word");
  flags.Section("Speed");
  flags.Bool("--warmup", &warmup, "warm up first");
  flags.Positional("FILE", &file, "what to read");
  flags.Note("A note.");
  flags.Example("tool -n 5", "Five tokens.");
  std::string text = HelpText(flags);
  EXPECT_THAT(text, HasSubstr("tool: Does it.\n\nUSAGE\n  tool [flags] [FILE]\n"));
  EXPECT_THAT(text, HasSubstr("\nARGUMENTS\n  FILE                        what to read\n"));
  EXPECT_THAT(text, HasSubstr("\nGENERATION\n  -n, --predict N             new tokens "
                              "(default: 256) [also --max-tokens]\n"));
  EXPECT_THAT(text, HasSubstr("\n                              word (repeatable)\n"));
  EXPECT_THAT(text, HasSubstr("\nSPEED\n  --[no-]warmup               warm up first\n"));
  EXPECT_THAT(text, HasSubstr("\nA note.\n"));
  EXPECT_THAT(text, HasSubstr("\nEXAMPLES\n  tool -n 5\n      Five tokens.\n"));
  EXPECT_LT(text.find("\nSPEED"), text.find("\nGENERAL\n"));
}

TEST(HelpText, WrapsAtTheWidthOfTheTerminal) {
  EXPECT_EQ(TextColumnsOf(0), 100u);
  EXPECT_EQ(TextColumnsOf(72), 72u);
  EXPECT_EQ(TextColumnsOf(5), 40u);
  EXPECT_EQ(TextColumnsOf(300), 100u);
  bool value = false;
  Flags flags("tool", "Does it.");
  flags.Bool("--long", &value, "one two three four five six seven eight nine ten eleven twelve");
  for (const size_t columns : {50, 80, 100}) {
    size_t longest = 0;
    for (const std::string& line : SplitWords(HelpText(flags, columns), '\n')) {
      longest = std::max(longest, line.size());
    }
    EXPECT_LE(longest, columns);
    EXPECT_GT(longest, columns - 15);
  }
}

TEST(HelpText, ListsModesOrShowsOne) {
  bool deep = false;
  std::string file;
  auto fill = [&](Flags& flags) {
    flags.Mode("show", "Show it.").Positional("FILE", &file, "file").Required();
    Flags& verify = flags.Mode("verify", "Verify it.");
    verify.Bool("--deep", &deep, "look deep");
    verify.Positional("FILE", &file, "file").Required();
    verify.Example("tool verify x", "Look.");
    flags.SetDefaultMode("show");
  };
  Flags all("tool", "Does it.");
  fill(all);
  ASSERT_TRUE(all.Parse({"--help"}, LookupIn({})).ok());
  std::string text = HelpText(all);
  EXPECT_THAT(text, HasSubstr("  tool [show] [flags] FILE\n  tool verify [flags] FILE\n"));
  EXPECT_THAT(text, HasSubstr("\nMODES\n  show                        Show it.\n"));
  EXPECT_THAT(text, Not(HasSubstr("--deep")));
  Flags one("tool", "Does it.");
  fill(one);
  ASSERT_TRUE(one.Parse({"verify", "--help"}, LookupIn({})).ok());
  text = HelpText(one);
  EXPECT_THAT(text, HasSubstr("tool verify: Verify it.\n"));
  EXPECT_THAT(text, HasSubstr("--deep"));
  EXPECT_THAT(text, HasSubstr("tool verify x"));
}

TEST(ConfigText, ShowsValueAndOrigin) {
  int32_t predict = 256;
  std::optional<uint32_t> seed;
  Flags flags("tool", "");
  flags.Int("--predict", &predict, "N", "");
  flags.Int("--seed", &seed, "N", "").Default("random");
  auto action = flags.Parse({"--print-config"}, LookupIn({{"INFER_PREDICT", "5"}}));
  ASSERT_TRUE(action.ok());
  EXPECT_EQ(*action, ParseAction::kPrintConfig);
  std::istringstream lines(ConfigText(flags));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "config  =         (default)");
  std::getline(lines, line);
  EXPECT_EQ(line, "predict = 5       (env INFER_PREDICT)");
  std::getline(lines, line);
  EXPECT_EQ(line, "seed    = random  (default)");
}

}  // namespace
}  // namespace infer
