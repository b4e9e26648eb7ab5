// SPDX-License-Identifier: Apache-2.0
//
// backends/README.md lists the places that a new target touches. The target `test` is one: it may
// be named there, in its own folder and in tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace infer {
namespace {

using ::testing::IsSubsetOf;
using ::testing::SizeIs;

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> PlacesOfReadme() {
  const std::string readme = Read(std::filesystem::path(INFER_SOURCE_DIR) / "backends/README.md");
  const size_t begin = readme.find("## Adding a target");
  const std::string section = readme.substr(begin, readme.find("\n## ", begin + 1) - begin);
  const std::regex row("\n\\| `([^`]+)` \\|");
  std::set<std::string> places;
  for (std::sregex_iterator it(section.begin(), section.end(), row), end; it != end; ++it) {
    places.insert((*it)[1]);
  }
  return places;
}

std::set<std::string> FilesThatName(const std::regex& target) {
  const std::filesystem::path root = INFER_SOURCE_DIR;
  std::set<std::string> files;
  for (const char* folder : {"ir", "frontends", "passes", "runtime", "backends", "tools"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      const std::string file = entry.path().lexically_relative(root).generic_string();
      const bool is_source = extension == ".h" || extension == ".cc" || extension == ".proto";
      if (!is_source || file.starts_with("backends/test/")) continue;
      const std::string text = Read(entry.path());
      // The expression takes seconds for all files, and hardly any has the word.
      const bool may_name = text.find("kTest") != text.npos || text.find("TEST") != text.npos;
      if (may_name && std::regex_search(text, target)) files.insert(file);
    }
  }
  return files;
}

TEST(NewTarget, IsNamedInThePlacesOfTheReadmeAlone) {
  const std::set<std::string> places = PlacesOfReadme();
  EXPECT_THAT(places, SizeIs(6));
  for (const std::string& place : places) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(INFER_SOURCE_DIR) / place)) << place;
  }
  const std::regex named("\\b(Target|Device)::kTest\\b|\\bkTest,|\\bDEVICE_TEST\\b|\\n  TEST = ");
  const std::set<std::string> files = FilesThatName(named);
  EXPECT_TRUE(files.contains("ir/graph/target.h"));
  EXPECT_THAT(files, IsSubsetOf(places));
}

}  // namespace
}  // namespace infer
