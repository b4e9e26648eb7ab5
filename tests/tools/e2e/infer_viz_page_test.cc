// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class InferVizPage : public ::testing::Test {
 protected:
  std::string Store(const std::string& policy) {
    std::string path = dir_.Path(policy + ".pb");
    OutputOf("infer-compile", {"--policy", policy, "-o", path});
    return path;
  }
  std::string Profile(const std::string& policy) {
    std::string path = dir_.Path(policy + ".profile");
    OutputOf("infer-run", {"--policy", policy, "-p", "Once", "-n", "2", "--profile", path});
    return path;
  }
  nlohmann::json Emit(std::vector<std::string> args) {
    args.insert(args.end(), {"--format", "json"});
    return nlohmann::json::parse(OutputOf("infer-viz", args));
  }
  // Runs infer-viz --open in the folder `current`, with an opener that writes the page's path to
  // the file `seen`.
  CapturedRun Open(std::vector<std::string> args) {
    // Under both names that systems have.
    for (const char* name : {"open", "xdg-open"}) {
      WriteFile(dir_.Path(name), "#!/bin/sh\nprintf '%s' \"$1\" > " + dir_.Path("seen") + "\n");
      std::filesystem::permissions(dir_.Path(name), std::filesystem::perms::owner_all);
    }
    const std::filesystem::path former_folder = std::filesystem::current_path();
    std::filesystem::create_directory(dir_.Path("current"));
    std::filesystem::current_path(dir_.Path("current"));
    const std::string former = ::getenv("PATH");
    ::setenv("PATH", dir_.path().c_str(), 1);
    args.push_back("--open");
    CapturedRun run = RunNamed("infer-viz", std::move(args));
    ::setenv("PATH", former.c_str(), 1);
    std::filesystem::current_path(former_folder);
    return run;
  }
  TempDir dir_;
};

TEST_F(InferVizPage, IsOneFileThatAsksForNothing) {
  std::string page = OutputOf("infer-viz", {Store("simd"), "--format", "html"});
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("<noscript>"));
  EXPECT_THAT(page, HasSubstr("layer.*/attn/q_proj"));
  EXPECT_THAT(page, Not(HasSubstr("src=\"")));
  EXPECT_THAT(page, Not(HasSubstr(dir_.Path(""))));
  EXPECT_LT(page.size(), 1'500'000u);
}

TEST_F(InferVizPage, TheSuffixChoosesIt) {
  std::string out = dir_.Path("p.html");
  OutputOf("infer-viz", {Store("simd"), "-o", out});
  EXPECT_THAT(ReadFile(out), StartsWith("<!DOCTYPE html>"));
}

TEST_F(InferVizPage, AModelIsCompiledFirst) {
  const std::string model = dir_.Path("m.gguf");
  std::filesystem::create_symlink(BundledModelPath(), model);
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{model, "--policy", "simd"}, {"-m", model, "--policy", "simd"}}) {
    nlohmann::json program = Emit(args)["programs"][0];
    EXPECT_EQ(program["policy"]["name"], "simd");
    EXPECT_EQ(program["name"], "m.gguf");
    // As infer-compile --dry-run says, tokenizer included.
    const std::string dry =
        OutputOf("infer-compile", {"-m", model, "--policy", "simd", "--dry-run"});
    const double total = program["memory"]["total"].get<double>() / 1048576;
    EXPECT_THAT(dry, HasSubstr(absl::StrFormat("  %-22s%10.1f MiB", "total", total)));
  }
  OutputOf("infer-viz", {model, "-o", dir_.Path("m.html")});
  EXPECT_THAT(ReadFile(dir_.Path("m.html")), StartsWith("<!DOCTYPE html>"));
}

TEST_F(InferVizPage, RefusesToCompileAStoredProgramAgain) {
  const CapturedRun run = RunNamed("infer-viz", {Store("simd"), "--policy", "scalar"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("--policy"));
  EXPECT_THAT(run.err, HasSubstr("stored program"));
}

TEST_F(InferVizPage, WithoutAFileShowsTheBundledModel) {
  EXPECT_EQ(OutputOf("infer-viz", {}), OutputOf("infer-viz", {BundledModelPath()}));
}

TEST_F(InferVizPage, WithoutTheModelsFileTheTokenizerIsNotKnown) {
  const std::string model = dir_.Path("m.gguf"), stored = dir_.Path("m.pb");
  std::filesystem::copy_file(TestData("random_qwen2_tied.gguf"), model);
  OutputOf("infer-compile", {"-m", model, "--policy", "simd", "-o", stored});
  EXPECT_GT(Emit({stored})["programs"][0]["memory"]["tokenizer"].get<int64_t>(), 0);
  std::filesystem::remove(model);
  nlohmann::json program = Emit({stored})["programs"][0];
  EXPECT_TRUE(program["memory"]["tokenizer"].is_null());
  EXPECT_GT(program["memory"]["kv"].get<int64_t>(), 0);
}

TEST_F(InferVizPage, IsWrittenBesideTheProgramAndOpened) {
  std::string program = Store("simd");
  CapturedRun run = Open({program});
  const std::string former = ::getenv("PATH");
  ::setenv("PATH", dir_.Path("none").c_str(), 1);
  CapturedRun alone = RunNamed("infer-viz", {program, "--open", "-o", dir_.Path("other.html")});
  ::setenv("PATH", former.c_str(), 1);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "the page is " + dir_.Path("simd.html") + "\n");
  EXPECT_EQ(ReadFile(dir_.Path("seen")), dir_.Path("simd.html"));
  EXPECT_THAT(ReadFile(dir_.Path("simd.html")), StartsWith("<!DOCTYPE html>"));
  EXPECT_EQ(alone.code, 0) << "the page is there all the same";
  EXPECT_THAT(alone.err, HasSubstr(dir_.Path("other.html")));
  EXPECT_THAT(ReadFile(dir_.Path("other.html")), StartsWith("<!DOCTYPE html>"));
}

TEST_F(InferVizPage, AModelIsCompiledAndOpenedInOneStep) {
  const std::string model = dir_.Path("m.gguf");
  std::filesystem::copy_file(TestData("random_qwen2_tied.gguf"), model);
  for (int times = 0; times < 2; ++times) {  // the second page replaces the first
    const CapturedRun run = Open({model});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(ReadFile(dir_.Path("seen")), dir_.Path("m.html"));
    EXPECT_THAT(ReadFile(dir_.Path("m.html")), HasSubstr(" - infer-viz</title>"));
  }
}

TEST_F(InferVizPage, AFileThatIsNoPageIsNotReplaced) {
  const std::string program = Store("simd");
  WriteFile(dir_.Path("simd.html"), "<!DOCTYPE html>\n<title>my notes</title>\n");
  const CapturedRun run = Open({program});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(ReadFile(dir_.Path("simd.html")), "<!DOCTYPE html>\n<title>my notes</title>\n");
  const std::string page = dir_.Path("current/simd.html");
  EXPECT_EQ(run.err, "the page is simd.html\n");
  EXPECT_TRUE(std::filesystem::equivalent(ReadFile(dir_.Path("seen")), page));
  EXPECT_THAT(ReadFile(page), HasSubstr(" - infer-viz</title>"));
}

TEST_F(InferVizPage, OnlyAPageInAFileIsOpened) {
  std::string program = Store("simd");
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{program, "--open", "--format", "json"},
        {program, "--open", "-o", dir_.Path("p.svg")},
        {program, "--open", "-o", "-"},
        {"diff", program, program, "--open"}}) {
    CapturedRun run = RunNamed("infer-viz", args);
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("--open"));
  }
}

TEST_F(InferVizPage, RefusesAPassLogOfAnotherProgram) {
  std::string simd = dir_.Path("simd.pb"), scalar = dir_.Path("scalar.pb");
  OutputOf("infer-compile", {"--policy", "simd", "-o", simd, "--pass-log", dir_.Path("simd.json")});
  OutputOf("infer-compile",
           {"--policy", "scalar", "-o", scalar, "--pass-log", dir_.Path("scalar.json")});
  CapturedRun run =
      RunNamed("infer-viz", {simd, "--pass-log", dir_.Path("scalar.json"), "--format", "html"});
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.out, "");
  for (const char* part : {"scalar.json: is the pass log of another program", "policy scalar",
                           "policy simd", "infer-compile"}) {
    EXPECT_THAT(run.err, HasSubstr(part));
  }
  nlohmann::json program = Emit({simd, "--pass-log", dir_.Path("simd.json")})["programs"][0];
  ASSERT_EQ(program["pass_texts"]["passes"].size(), program["passes"].size());
  for (size_t i = 0; i < program["passes"].size(); ++i) {
    EXPECT_EQ(program["pass_texts"]["passes"][i]["name"], program["passes"][i]["name"]);
  }
}

TEST_F(InferVizPage, HoldsProfilesInTheOrderOfTheNodes) {
  nlohmann::json program = Emit({Store("simd"), "--profile", Profile("simd")})["programs"][0];
  const nlohmann::json& profile = program["profile"];
  ASSERT_EQ(profile["regimes"].size(), program["regimes"].size());
  const nlohmann::json& calls = profile["regimes"][0][0];
  ASSERT_EQ(calls["timings"].size(), program["regimes"][0]["nodes"].size());
  EXPECT_EQ(calls["timings"][0].size(), profile["columns"].size());
  EXPECT_GT(calls["timings"][0][0], 0) << "the first node ran";
}

TEST_F(InferVizPage, HoldsTwoProgramsOrTwoProfilesOfOne) {
  std::string a = Store("simd"), profile = Profile("simd");
  nlohmann::json two = Emit({a, "--vs", Store("scalar")})["programs"];
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1]["policy"]["name"], "scalar");
  nlohmann::json same = Emit({a, "--profile", profile, "--vs-profile", profile})["programs"];
  ASSERT_EQ(same.size(), 2u);
  EXPECT_TRUE(same[1].contains("profile"));
}

TEST_F(InferVizPage, RefusesAProfileOfAnotherProgram) {
  CapturedRun run =
      RunNamed("infer-viz", {Store("scalar"), "--profile", Profile("simd"), "--format", "html"});
  EXPECT_NE(run.code, 0);
  EXPECT_THAT(run.err, HasSubstr("simd.profile"));
}

TEST_F(InferVizPage, RefusesAFileThatIsNoPassLog) {
  std::string program = Store("simd");
  CapturedRun run = RunNamed("infer-viz", {program, "--pass-log", program, "--format", "html"});
  EXPECT_NE(run.code, 0);
  EXPECT_THAT(run.err, HasSubstr("infer-compile --pass-log"));
}

TEST_F(InferVizPage, ProfilesAreForPagesAndDocuments) {
  CapturedRun run = RunNamed("infer-viz", {Store("simd"), "--profile", "p.pb", "--format", "svg"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("--profile is for --format html and json"));
}

}  // namespace
}  // namespace infer
