// SPDX-License-Identifier: Apache-2.0
//
// The other quantised files of the bundled model, which are not part of the repository: they are
// read from the folder that INFER_MODELS names, and a case whose file is missing is skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/model/loaded_model.h"
#include "tests/model/reference_data.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::LogLikelihood;
using test::ReferenceData;

std::optional<std::string> FindModel(const std::string& type) {
  const char* folder = std::getenv("INFER_MODELS");
  if (folder == nullptr) return std::nullopt;
  std::filesystem::path path = std::filesystem::path(folder) / ("tiny-tales-" + type + ".gguf");
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path.string();
}

TEST(OtherTypes, Bf16IsNearF16) {
  std::optional<std::string> path = FindModel("bf16");
  if (!path) GTEST_SKIP() << "INFER_MODELS has no tiny-tales-bf16.gguf";
  LoadedModel model(*path);
  ReferenceData f16("tiny_tales_f16");
  CompileModelOptions options;
  options.policy = "reference";
  std::unique_ptr<Session> session = model.NewSession(options);
  for (size_t i = 0; i < f16.prompts().size(); ++i) {
    ASSERT_TRUE(session->Prefill(f16.prompts()[i].ids).ok());
    std::span<const float> expected = f16.Array("last_logits/" + std::to_string(i));
    std::span<const float> found = session->logits();
    float worst = 0;
    for (size_t k = 0; k < found.size(); ++k) {
      worst = std::max(worst, std::abs(found[k] - expected[k]));
    }
    // Weights lose three of their bits: 0.11 was seen.
    EXPECT_LE(worst, 0.25f) << f16.prompts()[i].name;
    EXPECT_EQ(std::ranges::max_element(found) - found.begin(),
              std::ranges::max_element(expected) - expected.begin());
  }
}

// A file of the model, and how far its log-likelihood per token may be from the F16 file's.
struct TypeCase {
  const char* type;
  double tolerance;
};

class QuantizedFile : public ::testing::TestWithParam<TypeCase> {};

double LikelihoodOf(const LoadedModel& model, std::span<const int32_t> ids) {
  auto session = model.NewSession({.policy = "reference", .logit_rows = 256});
  EXPECT_TRUE(session->RunWithAllLogits(ids).ok());
  return LogLikelihood(*session, ids);
}

std::span<const int32_t> HeldOutTokens() {
  static const std::vector<int32_t> ids = [] {
    std::vector<int32_t> all =
        ReferenceData("tiny_tales_f16").json().at("log_likelihood").at("ids");
    all.resize(256);
    return all;
  }();
  return ids;
}

TEST_P(QuantizedFile, PredictsHeldOutTextAlmostAsF16Does) {
  const std::string type = GetParam().type;
  std::optional<std::string> path = FindModel(type);
  if (!path) GTEST_SKIP() << "INFER_MODELS has no tiny-tales-" << type << ".gguf";
  static const double f16 = LikelihoodOf(LoadedModel("tiny-tales-f16.gguf"), HeldOutTokens());
  const double found = LikelihoodOf(LoadedModel(*path), HeldOutTokens());
  EXPECT_NEAR((found - f16) / 255, 0, GetParam().tolerance);
}

// About twice what was seen: 0.0025 with iq4_xs, 0.107 with q2_k. Over the whole held-out text
// llama.cpp sees 0.092 with q2_k and at most 0.005 with the others.
INSTANTIATE_TEST_SUITE_P(All, QuantizedFile,
                         ::testing::Values(TypeCase{"q4_0", 0.005}, TypeCase{"q4_1", 0.005},
                                           TypeCase{"q5_0", 0.005}, TypeCase{"q5_1", 0.005},
                                           TypeCase{"q2_k", 0.2}, TypeCase{"q3_k_m", 0.005},
                                           TypeCase{"q4_k_m", 0.005}, TypeCase{"q5_k_m", 0.005},
                                           TypeCase{"q6_k", 0.005}, TypeCase{"iq4_nl", 0.005},
                                           TypeCase{"iq4_xs", 0.005}, TypeCase{"mxfp4", 0.005}),
                         [](const auto& test) { return std::string(test.param.type); });

}  // namespace
}  // namespace infer
