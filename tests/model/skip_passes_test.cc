// SPDX-License-Identifier: Apache-2.0
//
// Passes that keep the stage may make a model faster, never different.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "passes/registry.h"
#include "tests/model/loaded_model.h"
#include "tests/model/reference_data.h"

namespace infer {
namespace {

using test::ContinueGreedily;
using test::LoadedModel;
using test::LogitsOf;
using test::ReferenceData;

const LoadedModel& BundledModel() {
  static const auto* model = new LoadedModel("");
  return *model;
}

std::vector<std::string> PassesToSkip() {
  std::vector<std::string> names;
  for (const PassInfo& pass : AllPasses()) {
    if (pass.runs == PassRuns::kOnce && pass.keeps_stage()) names.push_back(pass.name);
  }
  return names;
}

TEST(SkipPasses, ReferenceGivesTheSameLogitsWithoutAllOfThem) {
  ReferenceData data("tiny_tales_q8_0");
  auto with = BundledModel().NewSession({.policy = "reference"});
  auto without = BundledModel().NewSession({.policy = "reference", .skip = PassesToSkip()});
  for (const auto& prompt : data.prompts()) {
    ASSERT_TRUE(with->Prefill(prompt.ids).ok());
    ASSERT_TRUE(without->Prefill(prompt.ids).ok());
    std::vector<float> found = LogitsOf(*with);
    std::vector<float> expected = LogitsOf(*without);
    ASSERT_EQ(found.size(), expected.size());
    float worst = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      worst = std::max(worst, std::abs(found[i] - expected[i]));
    }
    EXPECT_LE(worst, 1e-5f) << prompt.name;
  }
}

// Continuations of a few prompts, each of 16 tokens. Three prompts of one policy take half a second
// in a build with asserts.
std::vector<std::vector<int32_t>> Continuations(const std::string& policy,
                                                const std::vector<std::string>& skip) {
  static const auto* data = new ReferenceData("tiny_tales_q8_0");
  auto session = BundledModel().NewSession({.policy = policy, .context = 256, .skip = skip});
  std::vector<std::vector<int32_t>> all;
  for (size_t i = 0; i < std::min<size_t>(data->prompts().size(), 3); ++i) {
    all.push_back(ContinueGreedily(*session, data->prompts()[i].ids, 16));
  }
  return all;
}

class SkipPass : public ::testing::TestWithParam<std::string> {};

// `scalar` runs every composite op in parts, `simd` has kernels for fused ones.
TEST_P(SkipPass, ChangesNoGreedyToken) {
  static const auto* scalar = new auto(Continuations("scalar", {}));
  static const auto* simd = new auto(Continuations("simd", {}));
  EXPECT_EQ(Continuations("scalar", {GetParam()}), *scalar);
  EXPECT_EQ(Continuations("simd", {GetParam()}), *simd);
}

INSTANTIATE_TEST_SUITE_P(Each, SkipPass, ::testing::ValuesIn(PassesToSkip()),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace infer
