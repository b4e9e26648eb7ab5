// SPDX-License-Identifier: Apache-2.0
//
// The tools on a Metal device that lacks something or fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/metal/metal_tools_fixture.h"

namespace infer {
namespace {

using emulation::ScopedSettings;
using emulation::Settings;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using MetalToolFailures = MetalToolsTest;

TEST_F(MetalToolFailures, AKernelThatDoesNotCompileIsLeftOut) {
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

TEST_F(MetalToolFailures, AKernelWhoseGroupsAreTooLargeIsLeftOut) {
  constexpr char kWhy[] =
      "swiglu_f32 needs groups of 256 threads, the device runs it with up to 128";
  const std::string path = CompiledForMetal();
  Settings small;
  small.max_threads["swiglu_f32"] = 128;
  ScopedSettings scope(small);
  const CapturedRun compiled = Generate({"--policy", "metal", "-c", "64"});
  EXPECT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_EQ(compiled.out, ExpectedIds());
  EXPECT_THAT(compiled.err,
              HasSubstr(std::string("warning: kernel swiglu_f32_metal does not work here and is "
                                    "left out: ") +
                        kWhy));
  const CapturedRun stored = Generate({"-g", path, "-m", BundledModelPath()});
  EXPECT_EQ(stored.code, 5);
  EXPECT_EQ(stored.out, "");
  EXPECT_THAT(stored.err,
              HasSubstr(std::string("kernel swiglu_f32_metal does not work here: ") + kWhy));
}

TEST_F(MetalToolFailures, AFailureInMidRunEndsTheRun) {
  Settings failing;
  failing.failing_commit = 1;
  ScopedSettings scope(failing);
  const CapturedRun run = Generate({"--policy", "metal", "-c", "64"});
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("error: metal: one of the steps from node"));
}

// The prompt and a token work; the next token does not, and nothing else computes it.
TEST_F(MetalToolFailures, AFailureAfterSomeTokensEndsTheRunThere) {
  const std::string expected = ExpectedIds();
  Settings failing;
  failing.failing_commit = 3;
  ScopedSettings scope(failing);
  const uint64_t before = emulation::counters().command_buffers;
  const CapturedRun run = Generate({"--policy", "metal", "--place", "op=*=metal", "-c", "64"});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(expected, StartsWith(run.out));
  EXPECT_NE(run.out, "");
  EXPECT_THAT(run.err, AllOf(HasSubstr("error: metal: one of the steps from node"),
                             HasSubstr("kernel embed_q8_0_metal to node"),
                             HasSubstr("injected failure"), Not(HasSubstr("left out"))));
  EXPECT_EQ(emulation::counters().command_buffers - before, 3u);
}

TEST_F(MetalToolFailures, AModelThatDoesNotFitStaysOnTheCpu) {
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

TEST_F(MetalToolFailures, WithoutMetalThePolicySaysWhatRunsInstead) {
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

}  // namespace
}  // namespace infer
