// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontends/grammar/byte_kind.h"

namespace infer {

// Byte strings as a tree in one array of 8 bytes a node, in the order of a walk: a node's subtree
// follows it, and `skip` leads past it.
class TokenTrie {
 public:
  static constexpr int32_t kNoToken = -1;

  struct Node {
    uint32_t byte : 8;
    uint32_t skip : 24;  // nodes in the subtree, itself included
    int32_t token;       // that ends here, or kNoToken
  };

  // What lies below a node: the kinds of its bytes, a bit for each ByteKind, the length of the
  // longest string, at most 255, and whether there are Children for it.
  struct Below {
    uint8_t kinds = 0;
    uint8_t height = 0;
    uint16_t children = 0;
  };

  // The children of a node by their byte, or kNoNode. Kept for the root and where there are many:
  // going from one to the next is a cache miss for each.
  using Children = std::array<uint32_t, 256>;
  static constexpr uint32_t kNoNode = UINT32_MAX;

  TokenTrie() { FindChildren(); }
  // Strings that occur more than once keep the first token; the others are in duplicates().
  // At most 16 million nodes.
  explicit TokenTrie(std::vector<std::pair<std::string, int32_t>> tokens);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Below& below(size_t node) const { return below_[node]; }
  const Children& root_children() const { return children_[0]; }
  // Returns null if the node has few.
  const Children* children(size_t node) const {
    const uint16_t index = below_[node].children;
    return index == 0 ? nullptr : &children_[index];
  }
  size_t max_depth() const { return max_depth_; }
  // Pairs of a token in the tree and another one with the same bytes.
  const std::vector<std::pair<int32_t, int32_t>>& duplicates() const { return duplicates_; }

 private:
  void FindChildren();

  std::vector<Node> nodes_;
  std::vector<Below> below_;
  std::vector<Children> children_;
  std::vector<std::pair<int32_t, int32_t>> duplicates_;
  size_t max_depth_ = 0;
};

}  // namespace infer
