// SPDX-License-Identifier: Apache-2.0
#include "tools/api/load_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "backends/backends.h"
#include "backends/simd/levels/choose_level.h"
#include "tests/frontends/qwen3/toy_model.h"
#include "tests/tools/cli/captured_run.h"
#include "tools/api/compile_model.h"

namespace infer {
namespace {

TEST(PackCachePath, NamesTheLevelAndElsewhereTheModel) {
  const absl::StatusOr<ModelFile> model = ModelFile::Open("");
  ASSERT_TRUE(model.ok()) << model.status();
  const simd::Level* level = simd::ChosenLevel().level;
  const std::string ending =
      "." + (level == nullptr ? "scalar" : std::string(level->name)) + ".infer-pack";
  const std::string path = model->gguf().path();
  EXPECT_EQ(PackCachePath(*model, {.on = true}), path + ending);
  const std::string name = std::filesystem::path(path).filename().string();
  EXPECT_EQ(PackCachePath(*model, {.on = true, .folder = "/cache"}),
            "/cache/" + name + "-" + model->gguf().model_ref().header_hash.substr(0, 16) + ending);
}

// A token matrix is often padded to a round number of rows.
TEST(LoadSession, SaysThatRowsHaveNoTokenAndNeverChoosesThem) {
  test::GgufImage image = test::ToyModelWithTokenizer();
  TempDir dir;
  for (const uint64_t rows : {258, 320}) {
    test::SetTensor(image, "token_embd.weight", {8, rows});
    WriteFile(dir.Path("toy.gguf"), test::OpenedImage(image).bytes);
    const absl::StatusOr<ModelFile> model = ModelFile::Open(dir.Path("toy.gguf"));
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_EQ(model->CountTokens(), 258);
    const std::unique_ptr<KernelRegistry> registry = MakeKernelRegistry();
    absl::StatusOr<Program> program =
        CompileModel(*model, *registry, {.policy = "scalar", .context = 16});
    ASSERT_TRUE(program.ok()) << program.status();
    std::vector<std::string> warnings;
    const LoadOptions options{.warn = [&](const std::string& text) { warnings.push_back(text); }};
    const auto session =
        LoadSession(*std::move(program), *model, *registry, {.context = 16}, options);
    ASSERT_TRUE(session.ok()) << session.status();
    if (rows == 258) {
      EXPECT_THAT(warnings, ::testing::IsEmpty());
    } else {
      EXPECT_THAT(warnings, ::testing::ElementsAre(::testing::HasSubstr(
                                "the token matrix has 320 rows for 258 tokens; the rows after "
                                "them are never chosen")));
    }
    ASSERT_TRUE((*session)->Prefill(std::vector<int32_t>{1}).ok());
    // All weights are zero, so every row is as likely as the others.
    Sampler sampler = (*session)->NewSampler({.temperature = 1, .top_k = 0, .top_p = 1}).value();
    for (int i = 0; i < 500; ++i) EXPECT_LT(sampler.Sample((*session)->logits())->id, 258);
  }
}

}  // namespace
}  // namespace infer
