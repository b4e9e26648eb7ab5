// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/generator/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace infer::emulation {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

uint64_t FingerprintOf(const std::string& text) { return Fingerprint(Tokenize(text)); }

class Sources : public ::testing::Test {
 protected:
  Sources() {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~Sources() override { fs::remove_all(folder); }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }

  // Of its own: the cases run side by side, each in a process.
  const fs::path folder =
      fs::path(::testing::TempDir()) / ("emulation_sources." + std::to_string(getpid()));
};

TEST_F(Sources, IncludedFilesStandWhereTheyAreNamed) {
  Write("args.h", "#pragma once\nstruct Args { int a; };\n");
  const std::string path =
      Write("k.metal", "#include <metal_stdlib>\n#include \"args.h\"\nint x;\n");
  const absl::StatusOr<Source> source = LoadSource(path, {});
  ASSERT_TRUE(source.ok()) << source.status();
  ASSERT_EQ(source->files.size(), 2u);
  EXPECT_EQ(Fingerprint(source->tokens), FingerprintOf("struct Args { int a; };\nint x;\n"));
  EXPECT_EQ(source->tokens.back().line, 3);
}

TEST_F(Sources, AFileIsIncludedOnce) {
  Write("a.h", "int a;\n");
  Write("b.h", "#include \"a.h\"\nint b;\n");
  const std::string path = Write("k.metal", "#include \"a.h\"\n#include \"b.h\"\n");
  const absl::StatusOr<Source> source = LoadSource(path, {});
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ(Fingerprint(source->tokens), FingerprintOf("int a; int b;"));
}

TEST_F(Sources, AFileThatIsMissingIsNamedWithItsPlace) {
  const std::string path = Write("k.metal", "\n#include \"nothing.h\"\n");
  EXPECT_THAT(std::string(LoadSource(path, {}).status().message()),
              HasSubstr("k.metal:2: error: \"nothing.h\" is not found"));
  EXPECT_THAT(std::string(LoadSource(path + "x", {}).status().message()),
              HasSubstr("cannot be read"));
}

TEST(Fingerprint, BlanksDoNotMatterAndWordsDo) {
  EXPECT_EQ(FingerprintOf("int  a ; // b"), FingerprintOf("int a;"));
  EXPECT_EQ(FingerprintOf("#define  A   1\n"), FingerprintOf("#define A 1"));
  EXPECT_NE(FingerprintOf("int a;"), FingerprintOf("inta;"));
  EXPECT_NE(FingerprintOf("int a;"), FingerprintOf("int b;"));
  EXPECT_NE(FingerprintOf("#define A 1\n"), FingerprintOf("#define A 2\n"));
}

}  // namespace
}  // namespace infer::emulation
