// SPDX-License-Identifier: Apache-2.0
//
// infer-compile --explain, --support, --diff and the summary, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

std::string Compile(std::vector<std::string> args) {
  return OutputOf("infer-compile", std::move(args));
}

TEST(InferCompileReport, EveryReportIsTextOrJson) {
  for (std::vector<std::string> args : {std::vector<std::string>{},
                                        {"--explain", "all"},
                                        {"--support"},
                                        {"--dry-run", "--explain", "q_proj"}}) {
    EXPECT_FALSE(Compile(args).empty());
    args.insert(args.end(), {"--format", "json"});
    EXPECT_EQ(nlohmann::json::parse(Compile(args))["schema_version"], 1);
  }
}

TEST(InferCompileReport, ExplainsAMoveThatAFlagMade) {
  std::string text = Compile(
      {"--policy", "simd", "--place", "name=layer.*/ffn/norm=scalar", "--explain", "ffn/norm"});
  EXPECT_THAT(text, HasSubstr("given on the command line"));
  EXPECT_THAT(text, HasSubstr("scalar"));
}

TEST(InferCompileReport, TheProgramIsWrittenBesideTheReport) {
  TempDir dir;
  EXPECT_THAT(Compile({"--explain", "embed", "-o", dir.Path("p.pb")}), HasSubstr("embed"));
  EXPECT_FALSE(ReadFile(dir.Path("p.pb")).empty());
}

TEST(InferCompileReport, RefusesContradictions) {
  auto expect_usage = [](std::vector<std::string> args, const std::string& message) {
    CapturedRun run = RunNamed("infer-compile", args);
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(message));
    EXPECT_EQ(run.out, "");
  };
  expect_usage({"--explain", "q_prj"}, "did you mean q_proj?");
  expect_usage({"--explain", ""}, "--explain needs a node");
  expect_usage({"--explain", "all", "--support"}, "one at a time");
  expect_usage({"--explain", "all", "-o", "-"}, "with -o");
  expect_usage({"--diff", "a.pb"}, "got 1");
  expect_usage({"--diff", "a.pb", "b.pb", "-m", "x.gguf"}, "compiles nothing");
  expect_usage({"a.pb"}, "belongs to --diff");
  expect_usage({"--fail-on", "graph"}, "--fail-on belongs to --diff");
}

// The number before " MiB" in the line that begins with `label`.
std::string MebibytesAfter(const std::string& text, const std::string& label) {
  const size_t begin = text.find(label);
  if (begin == std::string::npos) return "no " + label + " in " + text;
  const size_t end = text.find(" MiB", begin);
  return text.substr(text.rfind(' ', end - 1) + 1, end - text.rfind(' ', end - 1) - 1);
}

TEST(InferCompileReport, MemoryIsForTheThreadsOfTheRun) {
  for (const char* threads : {"1", "2", "32"}) {
    const std::string text = Compile({"--dry-run", "-t", threads});
    EXPECT_THAT(text, HasSubstr(std::string("\nthreads  ") + threads + " as asked; by itself "));
    EXPECT_THAT(text, HasSubstr(std::string("scratch of ") + threads + " thread"));
    const CapturedRun run = RunNamed("infer-run", {"-p", "Hi", "-n", "1", "-v", "-t", threads});
    EXPECT_EQ(MebibytesAfter(text, "  total "), MebibytesAfter(run.err, "memory   at most "));
  }
  // Without -t as infer-run has it without.
  const CapturedRun run = RunNamed("infer-run", {"-p", "Hi", "-n", "1", "-v"});
  EXPECT_EQ(MebibytesAfter(Compile({}), "  total "), MebibytesAfter(run.err, "memory   at most "));
}

TEST(InferCompileReport, AProgramIsForAnyNumberOfThreads) {
  TempDir dir;
  Compile({"-o", dir.Path("one.pb"), "-t", "1"});
  Compile({"-o", dir.Path("many.pb"), "-t", "32"});
  EXPECT_EQ(ReadFile(dir.Path("one.pb")), ReadFile(dir.Path("many.pb")));
}

TEST(InferCompileReport, ModelsAndProgramsAreToldApart) {
  TempDir dir;
  Compile({"-o", dir.Path("p.pb")});
  const std::string model = BundledModelPath();
  const CapturedRun diff = RunNamed("infer-compile", {"--diff", dir.Path("p.pb"), model});
  EXPECT_EQ(diff.code, 3);
  EXPECT_THAT(diff.err, HasSubstr("is a GGUF model, where a compiled Program belongs"));
  EXPECT_THAT(diff.err, HasSubstr("compile it first (infer-compile)"));
  for (const char* tool : {"infer-compile", "infer-run"}) {
    const CapturedRun run = RunNamed(tool, {"-m", dir.Path("p.pb")});
    EXPECT_EQ(run.code, 3);
    EXPECT_THAT(run.err, HasSubstr("p.pb: is a compiled Program, where a GGUF model belongs"));
  }
}

TEST(InferCompileReport, RefusesProgramsOfDifferentModels) {
  TempDir dir;
  Compile({"-o", dir.Path("a.pb")});
  Compile({"-o", dir.Path("b.pb"), "-m", TestData("tiny-tales-f16.gguf")});
  CapturedRun run = RunNamed("infer-compile", {"--diff", dir.Path("a.pb"), dir.Path("b.pb")});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, HasSubstr("nodes of different models cannot be compared"));
}

}  // namespace
}  // namespace infer
