// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "backends/simd/levels/choose_level.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

CapturedRun Verify(const std::string& against, std::vector<std::string> more = {}) {
  std::vector<std::string> args = {
      "-p", "Once upon a time, a playful hamster", "-c", "256", "--verify-against", against};
  args.insert(args.end(), more.begin(), more.end());
  return RunNamed("infer-run", args);
}

TEST(InferRunVerify, EveryPolicyPassesOnTheBundledModel) {
  for (const char* policy : {"reference", "scalar", "simd", "parallel", "tutorial"}) {
    if (simd::ChosenLevel().level == nullptr && std::string(policy) != "scalar") continue;
    CapturedRun run = Verify("reference", {"--policy", policy, "-n", "4"});
    EXPECT_EQ(run.code, 0) << policy << ": " << run.out << run.err;
    EXPECT_THAT(run.out, ContainsRegex("[0-9]+ results of .* in 5 calls compared")) << policy;
  }
}

TEST(InferRunVerify, PassesWithOtherCachesAndActivations) {
  for (const char* type : {"f32", "f16", "q8_0"}) {
    EXPECT_EQ(Verify("reference", {"--policy", "scalar", "--kv-type", type, "-n", "2"}).code, 0)
        << type;
  }
  if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  EXPECT_EQ(Verify("reference", {"--policy", "simd", "--activations", "float", "-n", "2"}).code, 0);
  // Nothing is rounded: every result within 1e-4.
  CapturedRun run = Verify(
      "reference", {"--policy", "simd", "--activations", "float", "--kv-type", "f32", "-n", "2"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, Not(HasSubstr("16-bit cache")));
}

TEST(InferRunVerify, PoliciesOfTheSameKernelsAreEqualBitForBit) {
  if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  CapturedRun run = Verify("simd:0", {"--policy", "parallel", "-t", "2", "-n", "4"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
}

TEST(InferRunVerify, NamesTheFirstNodeBeyondTheTolerance) {
  CapturedRun run = Verify("reference:0", {"--policy", "scalar", "-n", "1"});
  EXPECT_EQ(run.code, 6);
  // Up to the cache, which holds f16 instead of f32, the bits are the same.
  EXPECT_THAT(run.err, HasSubstr("error: policy scalar deviates from reference first at "
                                 "layer.0/attn/attention"));
  EXPECT_THAT(run.out, HasSubstr("first beyond: layer.0/attn/attention"));
}

TEST(InferRunVerify, ComparesAStoredProgram) {
  TempDir dir;
  OutputOf("infer-compile", {"--policy", "scalar", "-c", "256", "-o", dir.Path("g.pb")});
  CapturedRun run =
      RunNamed("infer-run", {"-g", dir.Path("g.pb"), "-m", BundledModelPath(), "-p", "Once", "-n",
                             "1", "--verify-against", "reference", "--format", "json"});
  EXPECT_EQ(run.code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["tested"], "scalar");
  EXPECT_EQ(json["expected"], "reference");
  EXPECT_EQ(json["calls"], 2);
}

TEST(InferRunVerify, RefusesWhatMakesNoSense) {
  EXPECT_EQ(Verify("reference", {"--profile", "p.pb"}).code, 2);
  EXPECT_EQ(Verify("reference", {"--chat"}).code, 2);
  EXPECT_EQ(Verify("reference:-1").code, 2);
  // Before the model is looked at.
  EXPECT_EQ(Verify("scalar:abc", {"-m", "/no/such.gguf"}).code, 2);
  EXPECT_EQ(Verify("reference:nan", {"-m", "/no/such.gguf"}).code, 2);
  EXPECT_THAT(Verify("refernce", {"-m", "/no/such.gguf"}).err, HasSubstr("did you mean reference"));
  CapturedRun run = Verify("refrence");
  EXPECT_NE(run.code, 0);
  EXPECT_THAT(run.err, HasSubstr("refrence"));
}

TEST(InferRunVerifyInvariance, PassesForAnInvariantRun) {
  for (const char* policy : {"auto", "scalar"}) {
    const CapturedRun run = RunNamed("infer-run", {"-p", "Once upon a time there was a", "--policy",
                                                   policy, "--invariant", "--verify-invariance"});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.out, ::testing::HasSubstr("are the same in 16 schedules"));
  }
  EXPECT_EQ(RunNamed("infer-run", {"--chat", "--verify-invariance"}).code, 2);
}

}  // namespace
}  // namespace infer
