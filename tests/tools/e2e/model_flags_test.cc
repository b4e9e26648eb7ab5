// SPDX-License-Identifier: Apache-2.0
//
// The flags that tools share are the same everywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

// What a help text says about a flag, up to the next one.
std::string EntryOf(const std::string& help, const std::string& flag) {
  size_t begin = help.find(flag);
  if (begin == std::string::npos) return "none of " + flag;
  size_t end = begin;
  do {
    end = help.find('\n', end + 1);
  } while (end != std::string::npos && help.compare(end + 1, 8, "        ") == 0);
  return help.substr(begin, end - begin);
}

TEST(ModelFlags, HaveOneHelpTextInAllTools) {
  const std::string run = OutputOf("infer-run", {"--help"});
  const std::string compile = OutputOf("infer-compile", {"--help"});
  const std::string eval = OutputOf("infer-eval", {"--help"});
  const std::string bench = OutputOf("infer-bench", {"model", "--help"});
  for (const char* flag : {"--model", "--activations", "--kv-type", "--skip"}) {
    const std::string expected = EntryOf(run, flag);
    EXPECT_EQ(EntryOf(compile, flag), expected);
    EXPECT_EQ(EntryOf(eval, flag), expected);
    EXPECT_EQ(EntryOf(bench, flag), expected);
  }
  for (const char* flag : {"--policy", "--ctx-size", "--ubatch-size"}) {
    EXPECT_EQ(EntryOf(compile, flag), EntryOf(run, flag));
  }
  EXPECT_EQ(EntryOf(bench, "--pack-cache"), EntryOf(run, "--pack-cache"));
  EXPECT_EQ(EntryOf(eval, "--pack-cache"), EntryOf(run, "--pack-cache"));
}

TEST(ModelFlags, UnknownWordsAndPassesAreUsageErrors) {
  for (const char* tool : {"infer-run", "infer-compile"}) {
    CapturedRun run = RunNamed(tool, {"--activations", "int4"});
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.err, HasSubstr("--activations"));
    EXPECT_EQ(RunNamed(tool, {"--skip", "no-such-pass"}).code, 2);
  }
}

}  // namespace
}  // namespace infer
