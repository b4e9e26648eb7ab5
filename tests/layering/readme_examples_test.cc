// SPDX-License-Identifier: Apache-2.0
//
// Examples in READMEs can be pasted into a shell: a remark behind a command begins with #.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// Returns "file:line: text" for each command with a remark that a shell would take for arguments.
std::vector<std::string> UnpastableLines(const std::string& name, std::istream& text) {
  const std::regex command(
      "^(infer|gguf-inspect|mpirun|ctest|cmake|tools/|build/|\\./"
      "|[A-Z_]+=)\\S*(\\s\\S+)*\\s{2,}[^#\\s].*");
  std::vector<std::string> found;
  bool in_block = false;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    if (line.starts_with("```")) {
      in_block = !in_block;
    } else if (in_block && std::regex_match(line, command)) {
      found.push_back(name + ":" + std::to_string(number) + ": " + line);
    }
  }
  return found;
}

TEST(ReadmeExamples, RemarksBeginWithAHash) {
  for (const fs::path folder :
       {"", "backends", "frontends", "ir", "passes", "runtime", "tests", "tools"}) {
    const fs::path root = fs::path(INFER_SOURCE_DIR) / folder;
    std::vector<fs::path> files;
    if (folder.empty()) {
      files = {root / "README.md", root / "CONTRIBUTING.md", root / "SECURITY.md"};
    } else {
      for (const auto& entry : fs::recursive_directory_iterator(root)) {
        const std::string path = entry.path().string();
        if (path.ends_with(".md") && path.find("node_modules") == std::string::npos) {
          files.push_back(entry.path());
        }
      }
    }
    for (const fs::path& file : files) {
      std::ifstream text(file);
      for (const std::string& line : UnpastableLines(file.string(), text)) ADD_FAILURE() << line;
    }
  }
}

TEST(ReadmeExamples, FindsARemarkWithoutAHash) {
  std::istringstream text("```\ninfer-run -p x    a text\ninfer-run -p x    # a text\n```\n");
  EXPECT_EQ(UnpastableLines("f", text).size(), 1u);
}

}  // namespace
