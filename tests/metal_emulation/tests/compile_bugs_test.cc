// SPDX-License-Identifier: Apache-2.0
//
// Every file of bugs/compile has one mistake, marked by `// expect: text` on its line. The
// generator, or clang in the check build, must refuse it at that line with a message that holds the
// text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/metal_emulation/tests/shell.h"

namespace infer::emulation {
namespace {

namespace fs = std::filesystem;

const char kFolder[] = INFER_SOURCE_DIR "/tests/metal_emulation/bugs/compile";

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What the generator says of the file, or else clang of what it generates.
Outcome Compile(const fs::path& shader, const std::string& language) {
  const fs::path generated =
      fs::path(::testing::TempDir()) / (shader.stem().string() + ".bug.gen.cc");
  const std::string generate = std::string(INFER_MSLGEN) + " -I " INFER_SOURCE_DIR " --language " +
                               language + " " + shader.string() + " " + generated.string();
  Outcome outcome = Shell(generate);
  if (outcome.status == 0) outcome = Shell(INFER_SHADER_CHECK " " + generated.string());
  fs::remove(generated);
  return outcome;
}

std::vector<fs::path> Files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".metal") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class CompileBug : public ::testing::TestWithParam<fs::path> {};

TEST_P(CompileBug, IsRefusedWhereItStands) {
  const std::string text = ReadFile(GetParam());
  std::smatch language;
  const bool has_language = std::regex_search(text, language, std::regex("// language: (\\S+)"));
  std::istringstream lines(text);
  std::string line, expected;
  int number = 0, at = 0;
  while (std::getline(lines, line)) {
    ++number;
    const size_t mark = line.find("// expect: ");
    if (mark == std::string::npos) continue;
    ASSERT_EQ(at, 0) << "one mistake in a file";
    at = number;
    expected = line.substr(mark + 11);
  }
  ASSERT_NE(at, 0) << "no line says what is expected";
  const Outcome outcome = Compile(GetParam(), has_language ? language[1].str() : "3.1");
  EXPECT_NE(outcome.status, 0);
  // A template's mistake is reported in the vocabulary, with a note that leads to the shader.
  const std::string place = GetParam().filename().string() + ":" + std::to_string(at) + ":";
  EXPECT_THAT(outcome.output, ::testing::HasSubstr(place));
  EXPECT_THAT(outcome.output, ::testing::HasSubstr(expected));
}

INSTANTIATE_TEST_SUITE_P(Bugs, CompileBug, ::testing::ValuesIn(Files()),
                         [](const auto& test) { return test.param.stem().string(); });

// The mistakes are found one by one: a correct file of the same kind passes.
TEST(CompileBugs, ACorrectShaderPasses) {
  const Outcome outcome =
      Compile(INFER_SOURCE_DIR "/tests/metal_emulation/tests/samples/matmul.metal", "3.1");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

}  // namespace
}  // namespace infer::emulation
