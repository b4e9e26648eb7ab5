// SPDX-License-Identifier: Apache-2.0
//
// The tools with the software Metal device, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/metal/metal_tools_fixture.h"

namespace infer {
namespace {

using emulation::ScopedSettings;
using emulation::Settings;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(MetalToolsTest, DevicesAreListedWithTheirLimits) {
  const CapturedRun with = RunNamed("infer-devices", {});
  EXPECT_THAT(with.out, ContainsRegex("metal +on metal .CPU emulation, not a GPU. available, "));
  EXPECT_THAT(with.out, HasSubstr("unified_memory=yes max_buffer=16.0GiB working_set=8.0GiB"));
  EXPECT_THAT(RunNamed("infer-devices", {"--format", "json"}).out,
              AllOf(HasSubstr("\"device\": \"metal\",\n      \"emulated\": true"),
                    Not(HasSubstr("\"device\": \"metal ("))));
  unsetenv(metal::kEmulationVariable);
  EXPECT_THAT(
      RunNamed("infer-devices", {}).out,
      HasSubstr("unavailable: Metal needs macOS on Apple silicon; this build can emulate it "
                "on the CPU, slowly: set INFER_METAL_EMULATION=1 for that"));
}

TEST_F(MetalToolsTest, EveryNodeOnMetalGivesTheTokensOfReference) {
  const CapturedRun run =
      Generate({"--policy", "metal", "--place", "op=*=metal", "-c", "64", "-v"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, ExpectedIds());
  EXPECT_THAT(run.err,
              HasSubstr("metal: device=metal (CPU emulation, not a GPU) unified_memory=yes"));
  EXPECT_THAT(run.err,
              ContainsRegex("policy metal, with place op=\\*=metal; T 1..[0-9]+: metal [0-9]+\n"));
}

TEST_F(MetalToolsTest, PolicyMetalPutsThePromptOnMetalAndTokensOnTheCpu) {
  const CapturedRun run = Generate({"--policy", "metal", "-c", "64"});
  EXPECT_EQ(run.out, ExpectedIds());
  EXPECT_THAT(run.err, HasSubstr(std::string(" and ") + kEmulated + ", context 64"));
  const CapturedRun explained = RunNamed(
      "infer-compile", {"--policy", "metal", "-m", BundledModelPath(), "--explain", "q_proj"});
  EXPECT_EQ(explained.code, 0) << explained.err;
  EXPECT_THAT(explained.out, ContainsRegex("T 1..7 +simd"));
  EXPECT_THAT(explained.out, ContainsRegex("T 8..512 +metal +multi_linear_metal"));
  EXPECT_THAT(explained.out, HasSubstr("rule many-rows of policy metal: rows >= 8: 8..512"));
  EXPECT_THAT(explained.err, HasSubstr(kEmulated));
}

TEST_F(MetalToolsTest, ExpertsStayOnTheCpuIfAsked) {
  const auto run = [](std::vector<std::string> more) {
    more.insert(more.end(), {"-m", TestData("tiny-tales-moe-q8_0.gguf"), "-c", "64"});
    return Generate(std::move(more));
  };
  const std::string expected = run({"--policy", "reference"}).out;
  const CapturedRun moved = run({"-ngl", "99", "--cpu-moe", "--strict", "-v"});
  EXPECT_EQ(moved.code, 0) << moved.err;
  EXPECT_EQ(moved.out, expected);
  // Two nodes of each of three layers, and the embedding, which is in no layer.
  EXPECT_THAT(moved.err, ContainsRegex("[.][.]64: metal [0-9]+, parallel 7\n"));
  const CapturedRun some = run({"-ngl", "99", "--n-cpu-moe", "1", "-v"});
  EXPECT_EQ(some.out, expected);
  EXPECT_THAT(some.err, ContainsRegex("[.][.]64: metal [0-9]+, parallel 3\n"));
}

TEST_F(MetalToolsTest, IsNeverTakenUnasked) {
  EXPECT_THAT(Generate({"-c", "64"}).err, Not(HasSubstr("metal")));
}

TEST_F(MetalToolsTest, ComparesWithReferenceStepByStep) {
  const CapturedRun run =
      RunNamed("infer-run", {"-p", kPrompt, "-n", "2", "-c", "64", "--policy", "metal", "--place",
                             "op=*=metal", "--verify-against", "reference"});
  EXPECT_EQ(run.code, 0) << run.err << run.out;
  EXPECT_THAT(run.out, HasSubstr("attention_f16_metal"));
}

TEST_F(MetalToolsTest, AStoredProgramRunsWhereItsDeviceIs) {
  const std::string path = CompiledForMetal();
  const std::vector<std::string> stored = {"-g", path, "-m", BundledModelPath()};
  EXPECT_EQ(Generate(stored).out, ExpectedIds());
  unsetenv(metal::kEmulationVariable);
  const CapturedRun refused = Generate(stored);
  EXPECT_EQ(refused.code, 5);
  EXPECT_THAT(refused.err, HasSubstr("set INFER_METAL_EMULATION=1 for that; compile it again"));
}

TEST_F(MetalToolsTest, RunsWithoutResidencySets) {
  const std::vector<std::string> args = {"--policy", "metal", "-c", "64", "-v"};
  EXPECT_THAT(Generate(args).err, Not(HasSubstr("residency_sets")));
  Settings none;
  none.has_residency_sets = false;
  ScopedSettings scope(none);
  const CapturedRun run = Generate(args);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, ExpectedIds());
  EXPECT_THAT(run.err, HasSubstr("working_set=8.0GiB residency_sets=no"));
  EXPECT_THAT(RunNamed("infer-devices", {}).out, HasSubstr("residency_sets=no"));
}

// token_embd has 1.1 MiB, the file 6: four views.
TEST_F(MetalToolsTest, AFileLargerThanABufferIsCut) {
  Settings small;
  small.max_buffer_length = 3 << 20;
  ScopedSettings scope(small);
  EXPECT_EQ(Generate({"--policy", "metal", "-c", "64"}).out, ExpectedIds());
}

// Nor are the peaks of the machine, which would take some ten seconds.
TEST_F(MetalToolsTest, IsNotMeasured) {
  const CapturedRun run = RunNamed(
      "infer-bench", {"-m", BundledModelPath(), "--policy", "metal", "-p", "8", "-n", "1"});
  EXPECT_EQ(run.code, 5);
  EXPECT_THAT(run.err, HasSubstr("whose times say nothing about the device"));
  const CapturedRun op = RunNamed("infer-bench", {"op", "--target", "metal", "--m", "8"});
  EXPECT_THAT(op.err, HasSubstr("its times say nothing about the device"));
}

TEST_F(MetalToolsTest, ProfilesSayThatTimesMeanNothing) {
  constexpr char kWarning[] = "times of steps on an emulated device say nothing about a GPU";
  const std::string path = dir_.Path("p.pb");
  const CapturedRun run =
      Generate({"--policy", "metal", "-c", "64", "--dump-profile", "--profile", path});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_LT(run.err.find(kWarning), run.err.find("measured us"));
  EXPECT_THAT(RunNamed("infer-profile", {path}).out, HasSubstr(kWarning));
  EXPECT_THAT(RunNamed("infer-profile", {path, "--format", "json"}).out,
              HasSubstr("\"emulated\":true"));
  const CapturedRun on_cpu = Generate({"--policy", "simd", "-c", "64", "--dump-profile"});
  EXPECT_THAT(on_cpu.err, Not(HasSubstr("emulated")));
}

TEST_F(MetalToolsTest, TracesNameTheDevice) {
  const std::string path = dir_.Path("trace.json");
  ASSERT_EQ(Generate({"--policy", "metal", "-c", "64", "--trace", path}).code, 0);
  EXPECT_THAT(ReadFile(path),
              HasSubstr("\"device\":\"metal: device=metal (CPU emulation, not a GPU)"));
}

}  // namespace
}  // namespace infer
