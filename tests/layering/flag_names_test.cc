// SPDX-License-Identifier: Apache-2.0
// Nothing below the command lines names a flag or a command: an error says what is wrong and what
// would help, and carries an Advice that each tool turns into its own flag (tools/cli/flag_advice).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>

namespace infer {
namespace {

constexpr std::string_view kFoldersWithoutFlags[] = {"ir",      "frontends", "passes",
                                                     "runtime", "backends",  "tools/api"};

// The first flag or command that a line names in a comment or a string; empty if there is none.
std::string FlagIn(const std::string& line) {
  // Most lines hold no dash; a regular expression for each would take seconds.
  const bool has_text = line.find('"') != line.npos || line.find("//") != line.npos;
  if (!has_text || line.find('-') == line.npos) return "";
  static const auto* const kText = new std::regex(R"re(//.*|"(\\.|[^"\\])*")re");
  static const auto* const kFlag = new std::regex(
      R"re((^|[ "'`(])(--[a-z][a-z-]{2,}|-(c|m|g|t|ub|ngl|ot|ctk)(?=[ ,.;:)"'`]|$)))re"
      R"re(|infer-(run|compile|bench|viz|opt|eval|profile|tokenize|synth|policy|devices)\b)re"
      R"re(|gguf-inspect)re");
  for (std::sregex_iterator text(line.begin(), line.end(), *kText), end; text != end; ++text) {
    std::smatch found;
    const std::string part = text->str();
    if (std::regex_search(part, found, *kFlag)) return found.str();
  }
  return "";
}

TEST(FlagNames, AppearInCommandLinesOnly) {
  const std::filesystem::path root = INFER_SOURCE_DIR;
  int files = 0;
  for (std::string_view folder : kFoldersWithoutFlags) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc" && extension != ".proto") continue;
      const std::string file = entry.path().lexically_relative(root).generic_string();
      std::ifstream source(entry.path());
      int number = 0;
      for (std::string line; std::getline(source, line);) {
        ++number;
        EXPECT_EQ(FlagIn(line), "") << file << ":" << number << " " << line;
      }
      ++files;
    }
  }
  EXPECT_GT(files, 5) << "no sources found under " << root;
}

TEST(FlagNames, AreFoundInTextsAlone) {
  EXPECT_EQ(FlagIn(R"(StrCat("raise it with -c"))"), " -c");
  EXPECT_EQ(FlagIn(R"(StrCat("--kv-type ", name))"), "\"--kv-type");
  EXPECT_EQ(FlagIn("x();  // see infer-run"), "infer-run");
  EXPECT_EQ(FlagIn("for (int i = 9; i > 0; --index) f(-c);"), "");
  EXPECT_EQ(FlagIn(R"(StrCat(a, " - ", b, "-inf"))"), "");
}

}  // namespace
}  // namespace infer
