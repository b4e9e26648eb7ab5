// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/weight_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "backends/formats/kernel_name.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

static_assert(KernelName<"linear", DType::kQ8_0, "scalar"> == "linear_q8_0_scalar");
static_assert(TypedName<"matvec", DType::kIQ4_NL> == "matvec_iq4_nl");

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool HasWord(std::string_view text, std::string_view word) {
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return true;
    }
  }
  return false;
}

// Files that know the type by its enumerator or by its block. Kernels that are faster than those
// that every type has are not asked for: simd's own folders, metal and its shaders.
std::set<std::string> FilesThatKnow(std::string_view enumerator, std::string_view block) {
  const std::filesystem::path root = INFER_SOURCE_DIR;
  std::set<std::string> files;
  for (std::string_view folder : {"ir", "frontends", "passes", "runtime", "backends", "tools"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      const std::string file = entry.path().lexically_relative(root).generic_string();
      if (extension != ".h" && extension != ".cc") continue;
      if (file.starts_with("backends/simd/") || file.starts_with("backends/metal/")) continue;
      const std::string source = Read(entry.path());
      if (HasWord(source, enumerator) || HasWord(source, block)) files.insert(file);
    }
  }
  return files;
}

// backends/formats/README.md lists what a new type needs. Types that neither the cache nor a mix of
// infer-synth uses are known to no other file.
TEST(WeightTypes, AreKnownToNoMoreFilesThanTheReadmeLists) {
  const std::string readme =
      Read(std::filesystem::path(INFER_SOURCE_DIR) / "backends/formats/README.md");
  for (std::string_view type : {"Q4_1", "Q5_0", "Q5_1", "Q2_K", "IQ4_NL", "IQ4_XS", "MXFP4"}) {
    const std::set<std::string> files = FilesThatKnow(StrCat("k", type), StrCat("Block", type));
    EXPECT_GE(files.size(), 4u) << type;
    EXPECT_LE(files.size(), 5u) << type;
    for (const std::string& file : files) {
      const std::string name = std::filesystem::path(file).filename().string();
      EXPECT_THAT(readme, HasSubstr(name)) << type << " is in " << file;
    }
  }
}

TEST(WeightTypes, EachHasOneRecord) {
  std::set<DType> seen;
  for (const formats::WeightType& type : formats::kWeightTypes) {
    EXPECT_TRUE(seen.insert(type.dtype).second) << Name(type.dtype);
    EXPECT_NE(type.to_f32, nullptr) << Name(type.dtype);
  }
}

}  // namespace
}  // namespace infer
