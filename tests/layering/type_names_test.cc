// SPDX-License-Identifier: Apache-2.0
// No two headers define a type of the same name. The compiler sees only one of them at a time, and
// the linker then takes one type's functions for both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <istream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr std::string_view kFoldersWithTypes[] = {"ir",      "frontends", "passes",
                                                  "runtime", "backends",  "tools"};
// Headers of which a file includes one, chosen by the CPU or the device that it is compiled for.
constexpr std::string_view kAlternatives[] = {"backends/simd/isa/", "backends/cuda/kernels/",
                                              "backends/metal/shaders/"};

// The types that a header defines at namespace scope, with their namespaces.
std::vector<std::string> TypesIn(std::istream& header) {
  static const auto* const kNamespace = new std::regex(R"(^(?:inline )?namespace ([\w:]*) ?\{)");
  static const auto* const kType = new std::regex(
      R"(^(?:class|struct|enum|enum class)(?: \[\[\w+\]\])? (\w+)(?: final)?(?: :[^:;].*)?(?: \{.*)?$)");
  std::vector<std::string> found, spaces;
  for (std::string line; std::getline(header, line);) {
    std::smatch match;
    if (line.starts_with("namespace") || line.starts_with("inline namespace")) {
      if (std::regex_search(line, match, *kNamespace)) spaces.push_back(match[1].str());
    } else if (line.starts_with("}  // namespace")) {
      if (!spaces.empty()) spaces.pop_back();
    } else if (std::regex_match(line, match, *kType)) {
      std::string name;
      for (const std::string& space : spaces) name += space + "::";
      found.push_back(name + match[1].str());
    }
  }
  return found;
}

bool IsAlternative(const std::string& file) {
  for (std::string_view folder : kAlternatives) {
    if (file.starts_with(folder)) return true;
  }
  return false;
}

TEST(TypeNames, HaveOneHeader) {
  const std::filesystem::path root = INFER_SOURCE_DIR;
  std::map<std::string, std::vector<std::string>> headers;  // by type
  for (std::string_view folder : kFoldersWithTypes) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string file = entry.path().lexically_relative(root).generic_string();
      if (entry.path().extension() != ".h" || IsAlternative(file)) continue;
      std::ifstream source(entry.path());
      for (const std::string& type : TypesIn(source)) headers[type].push_back(file);
    }
  }
  EXPECT_GT(headers.size(), 300u) << "no types found under " << root;
  for (const auto& [type, files] : headers) EXPECT_THAT(files, SizeIs(1)) << type;
}

TEST(TypeNames, AreFoundAtNamespaceScope) {
  std::istringstream header(R"(namespace infer {
class Later;
struct Plain {
  struct Inner {};
};
inline namespace v1 {
enum class Kind : uint8_t { kOne };
}  // namespace v1
class Derived : public Plain {
};
template <>
struct Record<Plain> {};
struct Plain::Other {};
}  // namespace infer
)");
  EXPECT_THAT(TypesIn(header), ElementsAre("infer::Plain", "infer::v1::Kind", "infer::Derived"));
}

}  // namespace
}  // namespace infer
