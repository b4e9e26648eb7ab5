// SPDX-License-Identifier: Apache-2.0
//
// Every shader of the project: within the language level, and correct in its address spaces.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "tests/metal_emulation/generator/lint.h"
#include "tests/metal_emulation/generator/tables.h"
#include "tests/metal_emulation/generator/translate.h"
#include "tests/metal_emulation/tests/shell.h"

namespace infer::emulation {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> Shaders() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(INFER_SOURCE_DIR "/shaders")) {
    if (entry.path().extension() == ".metal") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class ProjectShader : public ::testing::TestWithParam<fs::path> {};

TEST_P(ProjectShader, KeepsToTheLanguageAndItsAddressSpaces) {
  const absl::StatusOr<Source> source = LoadSource(GetParam().string(), {INFER_SOURCE_DIR});
  ASSERT_TRUE(source.ok()) << source.status();
  const Translation translation = Translate(*source);
  for (const Diagnostic& error : translation.errors) ADD_FAILURE() << ToString(error);
  for (const Diagnostic& error : Lint(*source, "3.1")) ADD_FAILURE() << ToString(error);
  EXPECT_FALSE(translation.tables.instances.empty()) << "no kernel";
  const fs::path generated =
      fs::path(::testing::TempDir()) / (GetParam().stem().string() + ".check.gen.cc");
  std::ofstream(generated) << GenerateFile(*source, translation);
  const Outcome outcome = Shell(INFER_SHADER_CHECK " " + generated.string());
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  fs::remove(generated);
}

TEST_P(ProjectShader, HasItsArgumentsInBuffer0) {
  const absl::StatusOr<Source> source = LoadSource(GetParam().string(), {INFER_SOURCE_DIR});
  ASSERT_TRUE(source.ok()) << source.status();
  for (const auto& [name, kernel] : Translate(*source).tables.kernels) {
    ASSERT_FALSE(kernel.parameters.empty()) << name;
    EXPECT_EQ(kernel.parameters[0].kind, "kBuffer") << name;
    EXPECT_EQ(kernel.parameters[0].index, 0) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Shaders, ProjectShader, ::testing::ValuesIn(Shaders()),
                         [](const auto& test) { return test.param.stem().string(); });

}  // namespace
}  // namespace infer::emulation
