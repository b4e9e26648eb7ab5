// SPDX-License-Identifier: Apache-2.0
#include "tests/layering/folder_circles.h"

#include <algorithm>
#include <set>

namespace infer {
namespace {

// The public header is included by the path it is installed under.
std::string PathOf(const std::string& header) {
  return header.starts_with("infer/") ? "tools/api/include/" + header : header;
}

// What can be reached from `folder` by one include line or more.
std::set<std::string> Reachable(const FolderGraph& graph, const std::string& folder) {
  std::set<std::string> reached;
  std::vector<std::string> open = {folder};
  while (!open.empty()) {
    const std::string from = open.back();
    open.pop_back();
    const auto edges = graph.find(from);
    if (edges == graph.end()) continue;
    for (const auto& [to, line] : edges->second) {
      if (reached.insert(to).second) open.push_back(to);
    }
  }
  return reached;
}

}  // namespace

std::string FolderOf(std::string_view path) {
  size_t end = 0;
  for (int level = 0; level < 3; ++level) {
    const size_t slash = path.find('/', level == 0 ? 0 : end + 1);
    if (slash == path.npos) break;
    end = slash;
  }
  return std::string(path.substr(0, end));
}

FolderGraph FolderGraphOf(std::span<const SourceFile> files) {
  std::set<std::string_view> paths;
  for (const SourceFile& file : files) paths.insert(file.path);
  FolderGraph graph;
  for (const SourceFile& file : files) {
    const std::string from = FolderOf(file.path);
    for (const std::string& header : file.includes) {
      const std::string path = PathOf(header);
      if (!paths.contains(path)) continue;
      const std::string to = FolderOf(path);
      if (to != from) graph[from].try_emplace(to, file.path + " includes " + header);
    }
  }
  return graph;
}

std::vector<std::vector<std::string>> Circles(const FolderGraph& graph) {
  std::map<std::string, std::set<std::string>> reachable;
  for (const auto& [folder, edges] : graph) reachable[folder] = Reachable(graph, folder);
  std::vector<std::vector<std::string>> circles;
  std::set<std::string> done;
  for (const auto& [folder, reached] : reachable) {
    if (!reached.contains(folder) || done.contains(folder)) continue;
    std::vector<std::string> circle;
    for (const std::string& other : reached) {
      if (reachable[other].contains(folder)) circle.push_back(other);
    }
    done.insert(circle.begin(), circle.end());
    circles.push_back(std::move(circle));
  }
  return circles;
}

std::string LinesOf(const FolderGraph& graph, std::span<const std::string> circle) {
  std::string text;
  for (const std::string& from : circle) {
    for (const auto& [to, line] : graph.at(from)) {
      if (std::ranges::count(circle, to) > 0) text += line + "\n";
    }
  }
  return text;
}

}  // namespace infer
