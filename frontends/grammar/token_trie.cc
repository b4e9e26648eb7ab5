// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/token_trie.h"

#include <algorithm>

namespace infer {

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
}

}  // namespace infer
