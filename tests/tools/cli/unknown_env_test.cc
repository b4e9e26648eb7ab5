// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/unknown_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

EnvNames None() {
  ADD_FAILURE() << "asks the other tools without need";
  return {};
}

TEST(UnknownEnv, WarnsAboutWhatNoToolReads) {
  const EnvNames own = {"INFER_MODEL", "INFER_SEED"};
  EXPECT_THAT(UnknownEnvWarnings({"INFER_MODEL", "INFER_CPU", "INFER_TEST_X"}, own, None),
              IsEmpty());
  const auto others = [] { return EnvNames{"INFER_PORT"}; };
  EXPECT_THAT(UnknownEnvWarnings({"INFER_MODLE", "INFER_PORT"}, own, others),
              ElementsAre("the environment variable INFER_MODLE belongs to no flag (did you mean "
                          "INFER_MODEL?); it has no effect"));
}

// Every variable that a test reads: with one of them exported, the tools that the test starts say
// nothing.
TEST(UnknownEnv, KnowsTheVariablesOfTheTests) {
  const std::regex read(
      R"((?:getenv\("|process\.env\.|environ(?:\.get)?[(\[]["'])(INFER_[A-Z_]+))");
  EnvNames names;
  using Files = std::filesystem::recursive_directory_iterator;
  for (Files file(INFER_SOURCE_DIR "/tests"), last; file != last; ++file) {
    const std::filesystem::path& path = file->path();
    if (path.filename() == "node_modules") file.disable_recursion_pending();
    const std::string ending = path.extension().string();
    if (ending != ".cc" && ending != ".mjs" && ending != ".py") continue;
    const std::string text = ReadFile(path.string());
    for (std::sregex_iterator match(text.begin(), text.end(), read), end; match != end; ++match) {
      names.insert((*match)[1].str());
    }
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"INFER_NODE_MODULES", "INFER_TEST_PAGE"}));
  EXPECT_THAT(UnknownEnvWarnings(names, {}, [] { return EnvNames(); }), IsEmpty());
}

TEST(UnknownEnv, TheBinaryKnowsTheFlagsOfAllTools) {
  const CapturedRun run = RunShell(
      "INFER_PORT=1 INFER_SHAPE=x INFER_CALIBRATE=0 INFER_THRESHOLD=5 INFER_SEDE=4 "
      "$BIN/infer-tokenize --ids -p hello");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("INFER_SEDE belongs to no flag"));
  for (const char* known : {"INFER_PORT", "INFER_SHAPE", "INFER_THRESHOLD"}) {
    EXPECT_THAT(run.err, Not(HasSubstr(known)));
  }
}

}  // namespace
}  // namespace infer
