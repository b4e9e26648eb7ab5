// SPDX-License-Identifier: Apache-2.0
//
// The other quantised files of the bundled model, which are not part of the repository: they are
// read from the folder that INFER_MODELS names, and a case whose file is missing is skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/model/loaded_model.h"
#include "tests/model/reference_data.h"

namespace infer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::LoadedModel;
using testing::ReferenceData;

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

class UnsupportedType : public ::testing::TestWithParam<const char*> {};

TEST_P(UnsupportedType, IsRefusedByName) {
  std::optional<std::string> path = FindModel(GetParam());
  if (!path) GTEST_SKIP() << "INFER_MODELS has no tiny-tales-" << GetParam() << ".gguf";
  LoadedModel model(*path);
  absl::StatusOr<Program> program = CompileModel(model.file(), model.registry(), {});
  ASSERT_EQ(program.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(program.status().message()),
              AllOf(HasSubstr("node %embed"), HasSubstr("q8_0")));
}

INSTANTIATE_TEST_SUITE_P(All, UnsupportedType,
                         ::testing::Values("q4_0", "q4_1", "q5_0", "q5_1", "q2_k", "q3_k_m",
                                           "q4_k_m", "q5_k_m", "q6_k", "iq4_nl", "iq4_xs",
                                           "mxfp4"));

}  // namespace
}  // namespace infer
