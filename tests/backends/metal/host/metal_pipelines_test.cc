// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/metal_pipelines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "ir/base/strings.h"
#include "tests/metal_emulation/emulation.h"

namespace infer::metal {
namespace {

// A folder of compiled shaders, which for the software device hold their source.
class MetalPipelinesTest : public ::testing::Test {
 protected:
  MetalPipelinesTest() { std::filesystem::create_directory(folder_); }
  ~MetalPipelinesTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& path, std::string_view text) { std::ofstream(path) << text; }

  // Makes a pipeline of scale_f32; the number of libraries that came from files.
  uint64_t LibrariesFromFiles(const std::string& folder) {
    const uint64_t before = emulation::counters().compiled_libraries;
    MetalPipelines pipelines(MetalDevice::Open(), folder);
    const auto made =
        pipelines.Get({.library = "elementwise", .function = "scale_f32", .constants = {}});
    EXPECT_TRUE(made.ok()) << made.status();
    return emulation::counters().compiled_libraries - before;
  }

  const EmbeddedShader& shader_ = *FindShader("elementwise");
  const std::string folder_ = StrCat(::testing::TempDir(), "metal_pipelines_", getpid());
};

TEST_F(MetalPipelinesTest, TakesTheFileOfItsOwnSource) {
  Write(MetallibPath(folder_, shader_), shader_.source);
  EXPECT_EQ(LibrariesFromFiles(folder_), 1u);
  EXPECT_EQ(LibrariesFromFiles(""), 0u);
}

TEST_F(MetalPipelinesTest, NeverTakesAFileOfAnotherSource) {
  EmbeddedShader other = shader_;
  other.hash = FindShader("norm")->hash;
  Write(MetallibPath(folder_, other), shader_.source);
  Write(folder_ + "/elementwise.metallib", shader_.source);
  EXPECT_EQ(LibrariesFromFiles(folder_), 0u);
  EXPECT_EQ(LibrariesFromFiles(folder_ + "/nowhere"), 0u);
}

TEST_F(MetalPipelinesTest, CompilesTheSourceWhereTheDeviceRefusesTheFile) {
  Write(MetallibPath(folder_, shader_), "cut off");
  EXPECT_EQ(LibrariesFromFiles(folder_), 0u);
}

TEST_F(MetalPipelinesTest, SaysWhichShaderIsMissing) {
  MetalPipelines pipelines(MetalDevice::Open(), "");
  EXPECT_EQ(
      pipelines.Get({.library = "nothing", .function = "scale_f32", .constants = {}}).status(),
      absl::UnavailableError("this build has no shader nothing"));
}

}  // namespace
}  // namespace infer::metal
