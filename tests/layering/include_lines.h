// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace infer {

// What one file of the project includes, by the paths that its lines name.
struct SourceFile {
  std::string path;  // from the root
  std::vector<std::string> includes;
};

// The headers that the #include lines of `source` name, in either kind of quotes.
std::vector<std::string> IncludesOf(std::istream& source);

// Every source file and header below these folders of `root`, shaders included, by path.
std::vector<SourceFile> ReadSources(const std::filesystem::path& root,
                                    std::span<const std::string_view> folders);

}  // namespace infer
