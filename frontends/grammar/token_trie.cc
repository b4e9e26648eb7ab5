// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/token_trie.h"

#include <algorithm>

namespace infer {
namespace {

constexpr size_t kManyChildren = 24;

}  // namespace

TokenTrie::TokenTrie(std::vector<std::pair<std::string, int32_t>> tokens) {
  std::ranges::sort(tokens);
  std::vector<size_t> path;  // the nodes from the root to the last string
  const auto close = [&](size_t depth) {
    for (; path.size() > depth; path.pop_back()) {
      const size_t node = path.back();
      nodes_[node].skip = static_cast<uint32_t>(nodes_.size() - node) & 0xFFFFFF;
      if (path.size() < 2) continue;
      Below& parent = below_[path[path.size() - 2]];
      parent.kinds |= below_[node].kinds | KindOfByte(static_cast<uint8_t>(nodes_[node].byte));
      parent.height =
          std::max(parent.height, static_cast<uint8_t>(std::min(below_[node].height + 1, 255)));
    }
  };
  const std::string* last = nullptr;
  for (const auto& [bytes, token] : tokens) {
    if (bytes.empty()) continue;
    if (last != nullptr && *last == bytes) {
      duplicates_.push_back({nodes_[path.back()].token, token});
      continue;
    }
    size_t common = 0;
    while (last != nullptr && common < std::min(last->size(), bytes.size()) &&
           (*last)[common] == bytes[common]) {
      ++common;
    }
    close(common);
    for (size_t i = common; i < bytes.size(); ++i) {
      path.push_back(nodes_.size());
      nodes_.push_back({static_cast<uint8_t>(bytes[i]), 0, kNoToken});
      below_.emplace_back();
    }
    nodes_.back().token = token;
    max_depth_ = std::max(max_depth_, bytes.size());
    last = &bytes;
  }
  close(0);
  FindChildren();
}

void TokenTrie::FindChildren() {
  const auto find = [&](size_t begin, size_t end, Children* children) {
    size_t count = 0;
    children->fill(kNoNode);
    for (size_t i = begin; i < end; i += nodes_[i].skip, ++count) {
      (*children)[nodes_[i].byte] = static_cast<uint32_t>(i);
    }
    return count;
  };
  Children found;
  find(0, nodes_.size(), &found);
  children_ = {found};
  for (size_t i = 0; i < nodes_.size() && children_.size() <= UINT16_MAX; ++i) {
    if (nodes_[i].skip <= kManyChildren) continue;
    if (find(i + 1, i + nodes_[i].skip, &found) < kManyChildren) continue;
    below_[i].children = static_cast<uint16_t>(children_.size());
    children_.push_back(found);
  }
}

}  // namespace infer
