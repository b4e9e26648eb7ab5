// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/foreign_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/cli/captured_run.h"
#include "tools/tool_list.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(std::string_view tool, std::vector<std::string> args) {
  for (const Tool* listed : AllTools()) {
    if (listed->name != tool) continue;
    const CapturedRun run = RunCaptured(*listed, std::move(args));
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.out, "");
    return run.err;
  }
  return "no such tool";
}

TEST(ForeignFlags, OfLlamaCppGetAHint) {
  EXPECT_EQ(ErrorOf("infer-run", {"-hf", "org/model"}),
            "error: unknown flag -hf: nothing is downloaded here; fetch the GGUF file and give it "
            "with -m FILE\n");
  EXPECT_THAT(ErrorOf("infer-run", {"-cnv"}), HasSubstr("unknown flag -cnv: use --chat\n"));
  EXPECT_THAT(ErrorOf("infer-run", {"-no-cnv"}), HasSubstr("leave out --chat"));
  EXPECT_THAT(ErrorOf("infer-run", {"-i"}), HasSubstr("use --chat without -p"));
  EXPECT_THAT(ErrorOf("infer-run", {"-b", "512"}), HasSubstr("-ub"));
  EXPECT_THAT(ErrorOf("infer-run", {"--batch_size=512"}), HasSubstr("-ub"));
  EXPECT_THAT(ErrorOf("infer-run", {"-r", "User:"}), HasSubstr("use --stop"));
  EXPECT_THAT(ErrorOf("infer-run", {"-fa"}), HasSubstr("leave it out"));
  EXPECT_THAT(ErrorOf("infer-run", {"--jinja"}), HasSubstr("the model's own template is used"));
  EXPECT_THAT(ErrorOf("infer-run", {"-p", "x", "--mirostat", "2"}), HasSubstr("--top-p"));
  EXPECT_THAT(ErrorOf("infer-run", {"--no-mmap"}), HasSubstr("--pack-cache"));
}

TEST(ForeignFlags, AHintNamesNoFlagThatTheToolLacks) {
  EXPECT_EQ(ForeignFlagHint("-cnv", [](std::string_view) { return false; }), "");
  EXPECT_THAT(ErrorOf("infer-eval", {"-cnv"}), ::testing::Not(HasSubstr("--chat\n")));
  EXPECT_EQ(ForeignFlagHint("--surely-nothing", [](std::string_view) { return true; }), "");
}

}  // namespace
}  // namespace infer
