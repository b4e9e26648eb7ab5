// SPDX-License-Identifier: Apache-2.0
#include "tests/layering/include_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(IncludeLines, ReadsIncludeLinesOnly) {
  std::istringstream source(
      "#include \"ir/a.h\"\n  #  include <tbb/b.h>\n// #include \"tools/c.h\"\n#include\nint x;\n");
  EXPECT_THAT(IncludesOf(source), ElementsAre("ir/a.h", "tbb/b.h"));
}

TEST(IncludeLines, ReadsSourcesHeadersAndShadersByPath) {
  const std::filesystem::path root = std::filesystem::path(::testing::TempDir()) / "include_lines";
  std::filesystem::create_directories(root / "b/sub");
  std::filesystem::create_directories(root / "a");
  for (const char* file : {"b/z.metal", "b/sub/y.h", "a/x.cc", "a/readme.md"}) {
    std::ofstream(root / file) << "#include \"c.h\"\n";
  }
  const std::string_view folders[] = {"b", "a"};
  const std::vector<SourceFile> files = ReadSources(root, folders);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].path, "a/x.cc");
  EXPECT_EQ(files[1].path, "b/sub/y.h");
  EXPECT_EQ(files[2].path, "b/z.metal");
  EXPECT_THAT(files[2].includes, ElementsAre("c.h"));
}

}  // namespace
}  // namespace infer
