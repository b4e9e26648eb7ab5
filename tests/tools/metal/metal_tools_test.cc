// SPDX-License-Identifier: Apache-2.0
//
// The tools with the software Metal device, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "backends/metal/choose_metal.h"
#include "tests/metal_emulation/emulation.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using emulation::ScopedSettings;
using emulation::Settings;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kPrompt[] = "Once upon a time there was a little girl who";  // 10 tokens
constexpr char kEmulated[] = "metal (CPU emulation, not a GPU)";

class MetalToolsTest : public ::testing::Test {
 protected:
  void SetUp() override { setenv(metal::kEmulationVariable, "1", 1); }
  // A tool leaves nothing behind: every object of Metal's is gone, and none was misused.
  void TearDown() override {
    unsetenv(metal::kEmulationVariable);
    EXPECT_THAT(emulation::LiveObjectList(), IsEmpty());
    EXPECT_THAT(emulation::TakeProblems(), IsEmpty());
  }

  static std::vector<std::string> RunArgs(std::vector<std::string> more) {
    std::vector<std::string> args = {"-p", kPrompt, "-n", "4", "--temp", "0", "--emit", "ids"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  // The ids of a greedy run.
  static CapturedRun Generate(std::vector<std::string> more) {
    return RunNamed("infer-run", RunArgs(std::move(more)));
  }
  static std::string ExpectedIds() {
    static const auto* ids = new std::string(Generate({"--policy", "reference", "-c", "64"}).out);
    return *ids;
  }
  std::string CompiledForMetal() const {
    const std::string path = dir_.Path("metal.infer.pb");
    const CapturedRun run = RunNamed(
        "infer-compile", {"--policy", "metal", "-m", BundledModelPath(), "-c", "64", "-o", path});
    EXPECT_EQ(run.code, 0) << run.err;
    return path;
  }

  const TempDir dir_;
};

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
  const CapturedRun run = Generate({"--policy", "metal", "--place", "op=*=metal", "-c", "64"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, ExpectedIds());
  EXPECT_THAT(run.err,
              HasSubstr("metal: device=metal (CPU emulation, not a GPU) unified_memory=yes"));
  EXPECT_THAT(run.err, ContainsRegex("nodes: metal [0-9]+\n"));
}

TEST_F(MetalToolsTest, PolicyMetalPutsThePromptOnMetalAndTokensOnTheCpu) {
  const CapturedRun run = Generate({"--policy", "metal", "-c", "64"});
  EXPECT_EQ(run.out, ExpectedIds());
  const CapturedRun explained = RunNamed(
      "infer-compile", {"--policy", "metal", "-m", BundledModelPath(), "--explain", "q_proj"});
  EXPECT_EQ(explained.code, 0) << explained.err;
  EXPECT_THAT(explained.out, ContainsRegex("T 1..7 +simd"));
  EXPECT_THAT(explained.out, ContainsRegex("T 8..512 +metal +multi_linear_metal"));
  EXPECT_THAT(explained.out, HasSubstr("rule many-rows of policy metal: rows >= 8: 8..512"));
  EXPECT_THAT(explained.err, HasSubstr(kEmulated));
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

TEST_F(MetalToolsTest, AKernelThatDoesNotCompileIsLeftOut) {
  const std::string path = CompiledForMetal();
  Settings failing;
  failing.pipeline_failures["swiglu_f32"] = "use of undeclared identifier 'fmax3'\nnote: here";
  ScopedSettings scope(failing);
  const CapturedRun compiled = Generate({"--policy", "metal", "-c", "64"});
  EXPECT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_EQ(compiled.out, ExpectedIds());
  EXPECT_THAT(
      compiled.err,
      AllOf(HasSubstr("warning: kernel swiglu_f32_metal does not work here and is left out"),
            HasSubstr("use of undeclared identifier 'fmax3'"), Not(HasSubstr("note: here"))));
  const CapturedRun stored = Generate({"-g", path, "-m", BundledModelPath()});
  EXPECT_EQ(stored.code, 5);
  EXPECT_THAT(stored.err, HasSubstr("kernel swiglu_f32_metal does not work here"));
}

TEST_F(MetalToolsTest, AFailureInMidRunEndsTheRun) {
  Settings failing;
  failing.failing_commit = 1;
  ScopedSettings scope(failing);
  const CapturedRun run = Generate({"--policy", "metal", "-c", "64"});
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("error: metal: one of the steps from node"));
}

TEST_F(MetalToolsTest, AModelThatDoesNotFitStaysOnTheCpu) {
  const std::string path = CompiledForMetal();
  Settings small;
  small.recommended_max_working_set_size = 1 << 20;
  ScopedSettings scope(small);
  const CapturedRun compiled = Generate({"--policy", "metal", "-c", "64"});
  EXPECT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_THAT(compiled.err,
              HasSubstr("0.01 GiB of weights, activations and cache are more than the "
                        "0.00 GiB that the device keeps in memory at once"));
  EXPECT_EQ(Generate({"-g", path, "-m", BundledModelPath()}).code, 4);
}

// token_embd has 1.1 MiB, the file 6: four views.
TEST_F(MetalToolsTest, AFileLargerThanABufferIsCut) {
  Settings small;
  small.max_buffer_length = 3 << 20;
  ScopedSettings scope(small);
  EXPECT_EQ(Generate({"--policy", "metal", "-c", "64"}).out, ExpectedIds());
}

TEST_F(MetalToolsTest, WithoutMetalThePolicySaysWhatRunsInstead) {
  unsetenv(metal::kEmulationVariable);
  const CapturedRun run = Generate({"--policy", "metal", "-c", "64"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("warning: policy metal, rule many-rows: metal is unavailable"),
                    HasSubstr("nodes run on simd instead")));
  const CapturedRun strict = Generate({"--policy", "metal", "--strict"});
  EXPECT_EQ(strict.code, 5);
  EXPECT_THAT(strict.err, HasSubstr("Metal needs macOS"));
}

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
