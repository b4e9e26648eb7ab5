// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/layering/include_lines.h"

namespace infer {

// For each folder the folders that its files include, each with the first include line that does.
using FolderGraph = std::map<std::string, std::map<std::string, std::string>>;

// The folder of a file, cut to three levels: "backends/simd/isa" for "backends/simd/isa/vec.h".
// A folder and its subfolder count as two.
std::string FolderOf(std::string_view path);

// The graph of these files. Headers that are not among them (system, generated) are left out.
FolderGraph FolderGraphOf(std::span<const SourceFile> files);

// The groups of folders in which each one includes, directly or through others, every other one;
// sorted. Empty if the folders can be put in an order.
std::vector<std::vector<std::string>> Circles(const FolderGraph& graph);

// The include lines inside one circle, one a line: those are what to look at.
std::string LinesOf(const FolderGraph& graph, std::span<const std::string> circle);

}  // namespace infer
