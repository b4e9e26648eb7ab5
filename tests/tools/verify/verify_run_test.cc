// SPDX-License-Identifier: Apache-2.0
#include "tools/run/verify_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/loaded_model.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

TEST(ParseVerifyTarget, TakesAPolicyAndATolerance) {
  EXPECT_EQ(ParseVerifyTarget("reference")->policy, "reference");
  EXPECT_FALSE(ParseVerifyTarget("reference")->tolerance.has_value());
  EXPECT_EQ(ParseVerifyTarget("simd:1e-3")->policy, "simd");
  EXPECT_EQ(ParseVerifyTarget("simd:1e-3")->tolerance, 1e-3);
  EXPECT_EQ(ParseVerifyTarget("simd:0")->tolerance, 0.0);
  EXPECT_EQ(ParseVerifyTarget("a:b/mine.textproto")->policy, "a:b/mine.textproto");
}

TEST(ParseVerifyTarget, RefusesOthers) {
  for (const char* text : {"", ":0.1", "simd:-1", "simd:nan", "simd:inf", "simd:abc", "simd:"}) {
    EXPECT_EQ(ExitCodeFor(ParseVerifyTarget(text).status()), kExitUsage) << text;
  }
  EXPECT_THAT(ParseVerifyTarget("scalar:abc").status().ToString(),
              HasSubstr("--verify-against scalar:abc: 'abc' is not a tolerance"));
}

TEST(CheckVerifyTarget, NamesThePolicyThatIsNear) {
  EXPECT_EQ(CheckVerifyTarget("reference:0.1"), absl::OkStatus());
  EXPECT_THAT(CheckVerifyTarget("refernce").ToString(),
              HasSubstr("--verify-against: policy refernce is neither a file nor one of"));
  EXPECT_THAT(CheckVerifyTarget("refernce").ToString(), HasSubstr("(did you mean reference?)"));
}

TEST(OtherCompileOptions, KeepCallsAndCacheOfTheTestedProgram) {
  test::LoadedModel model("random_untied.gguf");
  const Program tested = model.Compile(
      {.policy = "scalar", .kv_type = DType::kQ8_0, .context = 96, .chunk = 24, .logit_rows = 3});
  CompileModelOptions asked;
  asked.kv_type = DType::kQ8_0;
  auto scalar = OtherCompileOptions(tested, {"scalar", {}}, asked);
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_EQ(scalar->policy, "scalar");
  EXPECT_EQ(scalar->kv_type, DType::kQ8_0);
  EXPECT_EQ(scalar->context, 96);
  EXPECT_EQ(scalar->chunk, 24);
  EXPECT_EQ(scalar->logit_rows, 3);
  auto reference = OtherCompileOptions(tested, {"reference", {}}, asked);
  ASSERT_TRUE(reference.ok()) << reference.status();
  EXPECT_FALSE(reference->kv_type.has_value());  // its own
  EXPECT_FALSE(OtherCompileOptions(tested, {"no-such-policy", {}}, asked).ok());
}

}  // namespace
}  // namespace infer
