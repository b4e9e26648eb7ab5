// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/dispatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tests/tools/cli/captured_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

absl::Status EchoMain(ToolContext& context) {
  std::vector<std::string> words;
  Flags flags("infer-echo", "Echoes.");
  flags.PositionalList("WORD", &words, "words");
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  return context.out().Write(JoinWords(words, " "));
}

constexpr Tool kEcho = {"infer-echo", "echo", "Echo words", EchoMain};
constexpr const Tool* kTools[] = {&kEcho};

CapturedRun RunInfer(const std::string& argv0, const std::vector<std::string>& args) {
  CapturedFd out, err;
  CapturedRun run;
  run.code = InferMain(argv0, args, kTools, {out.fd(), err.fd(), LookupIn({})});
  run.out = out.Text();
  run.err = err.Text();
  return run;
}

TEST(Dispatch, RunsAToolByLinkSubcommandOrFullName) {
  EXPECT_EQ(RunInfer("/usr/bin/infer-echo", {"a", "b"}).out, "a b");
  EXPECT_EQ(RunInfer("infer-echo", {"echo"}).out, "echo");
  EXPECT_EQ(RunInfer("./infer", {"echo", "a"}).out, "a");
  EXPECT_EQ(RunInfer("infer", {"infer-echo", "a"}).out, "a");
  EXPECT_EQ(RunInfer("renamed", {"echo", "a"}).out, "a");
}

TEST(Dispatch, AloneListsTheToolsWithExamples) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{}, {"help"}, {"--help"}, {"-h"}}) {
    CapturedRun run = RunInfer("infer", args);
    EXPECT_EQ(run.code, 0);
    EXPECT_THAT(run.out, HasSubstr("infer-echo       infer echo       Echo words\n"));
    EXPECT_THAT(run.out, HasSubstr("EXAMPLES\n  infer run"));
  }
}

TEST(Dispatch, ListsTheToolsInTheColumnsThatThereAre) {
  constexpr Tool kLong = {"infer-longname", "longname", "Explain in many words what is done here",
                          EchoMain};
  const Tool* const kBoth[] = {&kEcho, &kLong};
  EXPECT_THAT(
      ToolListText(kBoth, 84),
      HasSubstr("  infer-longname   infer longname   Explain in many words what is done here\n"));
  EXPECT_THAT(ToolListText(kBoth, 50), HasSubstr("  infer echo      Echo words\n"
                                                 "  infer longname  Explain in many words what is\n"
                                                 "                  done here\n"));
  for (const size_t columns : {40, 60, 83, 84, 100}) {
    for (const std::string& line : SplitWords(ToolListText(kBoth, columns), '\n')) {
      // A command that is to be pasted stays in one line.
      if (!line.starts_with("  infer compile")) {
        EXPECT_LE(line.size(), columns) << line;
      }
    }
  }
}

TEST(Dispatch, AnswersHelpVersionAndCompletion) {
  EXPECT_THAT(RunInfer("infer", {"help", "echo"}).out, StartsWith("infer-echo: Echoes."));
  EXPECT_THAT(RunInfer("infer", {"--version"}).out, StartsWith("infer 0."));
  EXPECT_THAT(RunInfer("infer", {"--man"}).out,
              HasSubstr(".TP\n\\fBinfer echo, infer\\-echo\\fR\nEcho words\n"));
  std::string script = RunInfer("infer", {"--completion", "bash"}).out;
  EXPECT_THAT(script, HasSubstr("_infer() {"));
  EXPECT_THAT(script, HasSubstr("_infer_echo() {"));
}

TEST(Dispatch, RefusesWhatIsNoTool) {
  CapturedRun run = RunInfer("infer", {"ecko"});
  EXPECT_EQ(run.code, kExitUsage);
  EXPECT_EQ(run.err, "error: infer: 'ecko' is not a tool (did you mean echo?); see infer --help\n");
  EXPECT_EQ(RunInfer("infer", {"help", "nothing"}).code, kExitUsage);
  EXPECT_EQ(RunInfer("infer", {"--completion"}).code, kExitUsage);
  EXPECT_EQ(RunInfer("infer", {"--completion", "csh"}).code, kExitUsage);
  EXPECT_EQ(RunInfer("infer-absent", {"x"}).code, kExitUsage);
}

}  // namespace
}  // namespace infer
