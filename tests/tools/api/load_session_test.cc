// SPDX-License-Identifier: Apache-2.0
#include "tools/api/load_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "backends/simd/levels/choose_level.h"

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

}  // namespace
}  // namespace infer
