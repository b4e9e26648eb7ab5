// SPDX-License-Identifier: Apache-2.0
#include "tests/layering/include_lines.h"

#include <algorithm>
#include <fstream>

namespace infer {

std::vector<std::string> IncludesOf(std::istream& source) {
  std::vector<std::string> headers;
  for (std::string line; std::getline(source, line);) {
    std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
    if (!line.starts_with("#include") || line.size() < 10) continue;
    const char close = line[8] == '<' ? '>' : '"';
    headers.push_back(line.substr(9, line.find(close, 9) - 9));
  }
  return headers;
}

std::vector<SourceFile> ReadSources(const std::filesystem::path& root,
                                    std::span<const std::string_view> folders) {
  const std::string_view extensions[] = {".h", ".cc", ".metal", ".cu"};
  std::vector<SourceFile> files;
  for (std::string_view folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (std::ranges::count(extensions, entry.path().extension().string()) == 0) continue;
      std::ifstream source(entry.path());
      files.push_back({entry.path().lexically_relative(root).generic_string(), IncludesOf(source)});
    }
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

}  // namespace infer
