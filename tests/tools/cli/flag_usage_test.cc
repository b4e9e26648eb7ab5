// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/flag_usage.h"

#include <gtest/gtest.h>

namespace infer {
namespace {

TEST(FlagUsage, SpellsFlagsAndSaysWhatTheyMean) {
  int32_t predict = 256;
  bool warmup = true;
  bool cache = false;
  std::string folder;
  std::vector<std::string> stop;
  Flags flags("tool", "Does it.");
  const Flag& number = flags.Int("-n,--predict", &predict, "N", "new tokens").Alias("--max-tokens");
  EXPECT_EQ(FlagSpelling(number), "-n, --predict N");
  EXPECT_EQ(FlagMeaning(number), "new tokens (default: 256) [also --max-tokens]");
  EXPECT_EQ(FlagSpelling(flags.Bool("--warmup", &warmup, "warm up")), "--[no-]warmup");
  EXPECT_EQ(FlagSpelling(flags.SwitchOrText("--cache", &cache, &folder, "DIR", "keep")),
            "--cache[=DIR]");
  EXPECT_EQ(FlagMeaning(flags.TextList("--stop", &stop, "TEXT", "stop here").Required()),
            "stop here (required) (repeatable)");
}

TEST(FlagUsage, NamesModesAndPositionals) {
  std::string file;
  std::vector<std::string> more;
  Flags flags("tool", "Does it.");
  Flags& show = flags.Mode("show", "Show it.");
  show.Positional("FILE", &file, "file").Required();
  Flags& verify = flags.Mode("verify", "Verify it.");
  verify.PositionalList("FILE", &more, "files");
  flags.SetDefaultMode("show");
  EXPECT_EQ(UsageLine(flags, nullptr), "tool [flags]");
  EXPECT_EQ(UsageLine(flags, &show), "tool [show] [flags] FILE");
  EXPECT_EQ(UsageLine(flags, &verify), "tool verify [flags] [FILE...]");
}

}  // namespace
}  // namespace infer
