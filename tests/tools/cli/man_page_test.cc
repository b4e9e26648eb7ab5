// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/strings.h"
#include "tests/tools/cli/captured_run.h"
#include "tools/tool_list.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ManPage, HasModesFlagsNotesAndExamples) {
  int32_t predict = 256;
  bool deep = false;
  std::string file;
  Flags flags("infer-act", "Acts.");
  flags.Section("Generation");
  flags.Int("-n,--predict", &predict, "N", "new tokens");
  Flags& verify = flags.Mode("verify", "Verify it.");
  verify.Bool("--deep", &deep, "look deep");
  verify.Positional("FILE", &file, "what to read").Required();
  verify.Example("infer-act verify x", "Look.");
  flags.Note("A note.");
  const std::string page = ManPage(flags);
  EXPECT_THAT(page, StartsWith(".TH \"INFER\\-ACT\" \"1\" \"\" \"infer 0."));
  EXPECT_THAT(page, HasSubstr(".SH \"NAME\"\ninfer\\-act \\- Acts\n"));
  EXPECT_THAT(page, HasSubstr(".SS \"Generation\"\n.TP\n\\fB\\-n, \\-\\-predict N\\fR\n"
                              "new tokens (default: 256)\n"));
  EXPECT_THAT(page, HasSubstr("\\fBinfer\\-act verify [flags] FILE\\fR\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-deep\\fR\nlook deep\n"));
  EXPECT_THAT(page, HasSubstr(".PP\nA note.\n"));
  EXPECT_THAT(page, HasSubstr(".nf\ninfer\\-act verify x\n.fi\n"));
  EXPECT_LT(page.find("Generation"), page.find(".SS \"General\"\n"));
}

TEST(ManPage, ShowsWhatTroffWouldTakeAsARequest) {
  std::string name;
  Flags flags("tool", "Does it.");
  flags.Text("--name", &name, "RE", ".hidden and 'quoted' \\d");
  EXPECT_THAT(ManPage(flags), HasSubstr("\n\\&.hidden and 'quoted' \\ed\n"));
}

// man itself says whether it can format a page; every line of ours would be one of its warnings.
TEST(ManPage, OfEachToolIsFormattedWithoutAWarning) {
  // Where Ubuntu is minimized, a script that says so takes the place of man.
  if (RunShell("man --version").out.find("man 2") != 0) {
    GTEST_SKIP() << "skipped: man-db is not installed";
  }
  for (const Tool* tool : AllTools()) {
    const CapturedRun run = RunShell(
        StrCat("\"$BIN/", tool->name, "\" --man | LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l -"));
    EXPECT_EQ(run.code, 0) << tool->name;
    EXPECT_EQ(run.err, "") << tool->name;
    EXPECT_THAT(run.out, HasSubstr(std::string(tool->name)));
    EXPECT_THAT(run.out, HasSubstr("EXIT STATUS"));
    EXPECT_THAT(run.out, Not(HasSubstr("\\-")));
  }
}

}  // namespace
}  // namespace infer
