// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/e2e/tool_run.h"
#include "tools/tool_list.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(InferDevices, PrintsTextAndJson) {
  EXPECT_THAT(OutputOf("infer-devices", {}), HasSubstr("\ntargets\n  scalar     on cpu    avail"));
  nlohmann::json json =
      nlohmann::json::parse(OutputOf("infer-devices", {"--format", "json"}), nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["targets"].size(), 6u);  // ranks too
  EXPECT_GT(json["threads"]["count"], 0);
  EXPECT_EQ(RunNamed("infer-devices", {"--format", "csv"}).code, 2);
}

// What a tool must be given so that its command line is complete.
const std::map<std::string_view, std::vector<std::string>>& LeastArgs() {
  static const auto* args = new std::map<std::string_view, std::vector<std::string>>{
      {"infer-run", {"-p", "x"}},
      {"infer-eval", {"perplexity"}},
      {"infer-synth", {"-o", "/nonexistent/x"}},
      {"gguf-inspect", {"/nonexistent/x"}},
      {"infer-policy", {"list"}},
      {"infer-profile", {"/nonexistent/x"}},
  };
  return *args;
}

TEST(InferCpu, AnInvalidLevelIsAUsageErrorOfEveryTool) {
  for (const Tool* tool : AllTools()) {
    const std::string name(tool->name);
    std::vector<std::string> args;
    if (auto it = LeastArgs().find(name); it != LeastArgs().end()) args = it->second;
    CapturedRun run = RunNamed(name, args, {{"INFER_CPU", "sse9"}});
    EXPECT_EQ(run.code, 2) << name;
    EXPECT_EQ(run.out, "") << name;
    EXPECT_THAT(run.err, StartsWith("error: INFER_CPU=sse9 is not a level")) << name;
    EXPECT_EQ(RunNamed(name, {"--help"}, {{"INFER_CPU", "sse9"}}).code, 0) << name;
  }
}

TEST(InferCpu, ALevelOfAnotherArchitectureIsRefusedByName) {
#if defined(__aarch64__)
  const std::string other = "avx2";
#else
  const std::string other = "neon";
#endif
  CapturedRun run = RunNamed("infer-devices", {}, {{"INFER_CPU", other}});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("INFER_CPU=" + other + " is not in this build"));
}

}  // namespace
}  // namespace infer
