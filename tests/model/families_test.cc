// SPDX-License-Identifier: Apache-2.0
//
// The other families: `reference` against Hugging Face's own code, every CPU policy against
// `reference`, and the same bits from any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "backends/backends.h"
#include "ir/base/strings.h"
#include "tests/model/loaded_model.h"
#include "tests/model/reference_data.h"
#include "tools/synth/synth.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::ReferenceData;

CompileModelOptions Options(const std::string& policy) {
  CompileModelOptions options;
  options.policy = policy;
  options.activations = Policy::Activations::kFloat;
  options.kv_type = DType::kF32;
  options.logit_rows = 512;
  return options;
}

std::vector<float> AllLogits(const LoadedModel& model, const CompileModelOptions& options,
                             std::span<const int32_t> ids) {
  auto session = model.NewSession(options);
  EXPECT_TRUE(session->RunWithAllLogits(ids).ok());
  const std::span<const float> first = session->logits(0);
  return {first.data(), first.data() + ids.size() * first.size()};
}

// Shapes of Qwen2.5 and Llama 3, a layer of each, are files that run.
TEST(SynthesisedFamilies, Run) {
  for (const char* name : {"qwen2.5-0.5b", "llama3.2-1b"}) {
    SynthOptions options;
    options.shape = *FindShape(name);
    options.shape.layers = 1;
    options.type = *FindWeightType("q4_0");
    options.vocabulary_kind = VocabularyKind::kSmall;
    options.output_path = StrCat(::testing::TempDir(), "/", name, ".gguf");
    const absl::Status status = WriteSynthModel(options);
    ASSERT_TRUE(status.ok()) << status;
    const LoadedModel model(options.output_path);
    for (float logit : AllLogits(model, Options(DefaultPolicy()), std::vector<int32_t>{1, 2, 3})) {
      ASSERT_TRUE(std::isfinite(logit)) << name;
    }
  }
}

class Families : public ::testing::TestWithParam<const char*> {};

TEST_P(Families, ReferenceGivesTheLogitsOfHuggingFace) {
  const ReferenceData data(GetParam());
  const LoadedModel model(data.model());
  ASSERT_EQ(data.prompts().size(), 3u);
  float worst = 0;
  for (size_t i = 0; i < data.prompts().size(); ++i) {
    const std::span<const float> expected = data.Array(StrCat("all_logits/", i));
    const std::vector<float> found =
        AllLogits(model, {.policy = "reference", .logit_rows = 512}, data.prompts()[i].ids);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t j = 0; j < found.size(); ++j) {
      ASSERT_TRUE(std::isfinite(found[j]));
      worst = std::max(worst, std::abs(found[j] - expected[j]));
    }
  }
  EXPECT_LE(worst, 2e-4f);  // the project promises 1e-3
  std::cout << "largest difference " << worst << "\n";
}

TEST_P(Families, EveryPolicyGivesTheLogitsOfReference) {
  const ReferenceData data(GetParam());
  const LoadedModel model(data.model());
  const std::vector<int32_t>& ids = data.prompts()[2].ids;
  CompileModelOptions reference = Options("reference");
  const std::vector<float> expected = AllLogits(model, reference, ids);
  for (const char* policy : {"scalar", "simd", "parallel", "tutorial"}) {
    const std::vector<float> found = AllLogits(model, Options(policy), ids);
    ASSERT_EQ(found.size(), expected.size());
    float worst = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      worst = std::max(worst, std::abs(found[i] - expected[i]));
    }
    EXPECT_LE(worst, 2e-3f) << policy;  // 1e-4 of the largest logit, about 20
  }
}

TEST_P(Families, DecodingContinuesThePrompt) {
  const ReferenceData data(GetParam());
  const LoadedModel model(data.model());
  const std::vector<int32_t>& ids = data.prompts()[1].ids;
  const std::vector<float> expected = AllLogits(model, Options("simd"), ids);
  auto session = model.NewSession(Options("simd"));
  for (size_t i = 0; i < ids.size(); ++i) {
    ASSERT_TRUE(session->Decode(ids[i]).ok());
    const std::span<const float> found = session->logits();
    for (size_t j = 0; j < found.size(); ++j) {
      ASSERT_NEAR(found[j], expected[i * found.size() + j], 2e-3f) << i;
    }
  }
}

TEST_P(Families, ThreadsDoNotChangeABit) {
  const ReferenceData data(GetParam());
  const std::vector<int32_t>& ids = data.prompts()[2].ids;
  std::vector<float> expected;
  for (int threads : {1, 2, 3}) {
    ThreadTeamOptions team;
    team.threads = threads;
    const LoadedModel model(data.model(), *MakeKernelRegistry(team, ThreadsBy::kTeam));
    const std::vector<float> found = AllLogits(model, Options("parallel"), ids);
    if (expected.empty()) expected = found;
    EXPECT_EQ(found, expected) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Families,
                         ::testing::Values("random_qwen2_tied", "random_qwen2_untied",
                                           "random_llama_tied", "random_llama_freqs",
                                           "random_moe_128", "random_moe_unused", "random_moe_same",
                                           "random_moe_one"));

}  // namespace
}  // namespace infer
