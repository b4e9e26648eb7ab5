// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/kv_cache.h"

namespace infer {

// The part of a text that is in the cache.
struct CachedPrefix {
  std::vector<int32_t> blocks = {};
  int64_t tokens = 0;
  bool differs = false;  // the cache goes on after these tokens, with others
};

// Remembers which tokens the blocks of a paged cache hold, so that a text begins where a cached one
// with the same beginning ends. A tree in which each node is one block; nodes of partial blocks
// have no children. Texts match token by token, and a sequence that continues within a block gets
// its own copy of it (KvCache::Reserve).
//
// The tree is one user of its blocks: those of running sequences can be shared at once, and those
// that nobody else uses are free when needed (EvictOne). Texts with different salts never meet.
//
// A sequence that uses the block of a node also uses those of all nodes above it.
class PrefixTree {
 public:
  // The cache must be paged and outlive the tree.
  explicit PrefixTree(KvCache* cache);
  ~PrefixTree();
  PrefixTree(const PrefixTree&) = delete;
  PrefixTree& operator=(const PrefixTree&) = delete;

  // Returns the longest cached prefix of `text` and marks it as used now.
  CachedPrefix Find(std::string_view salt, std::span<const int32_t> text);

  // Adds the full blocks of a sequence that holds `text`; blocks that the tree has already replace
  // the sequence's own. `with_tail` adds the partial block too, which the sequence must not write
  // any more.
  void Add(std::string_view salt, std::span<const int32_t> text, SequenceId sequence,
           bool with_tail);

  // Frees the block of the least recently used leaf that no sequence uses; false if there is none.
  bool EvictOne();

  int64_t num_blocks() const { return num_blocks_; }
  int64_t evicted_blocks() const { return evicted_blocks_; }

 private:
  struct Node;
  struct TokenOrder {
    using is_transparent = void;
    static std::span<const int32_t> TokensOf(const std::unique_ptr<Node>& node);
    static std::span<const int32_t> TokensOf(std::span<const int32_t> tokens) { return tokens; }
    bool operator()(const auto& a, const auto& b) const { return Less(TokensOf(a), TokensOf(b)); }
    static bool Less(std::span<const int32_t> a, std::span<const int32_t> b);
  };
  // No child begins with all tokens of another one.
  using Children = std::set<std::unique_ptr<Node>, TokenOrder>;
  struct Node {
    Node* parent = nullptr;  // null: a root, which has no block
    std::string_view salt = {};
    std::vector<int32_t> tokens = {};  // at most those of a block
    int32_t block = -1;
    uint64_t last_used = 0;
    Children children = {};
  };
  struct Match {
    Node* node = nullptr;
    size_t tokens = 0;
  };

  static Match BestChild(const Node& node, std::span<const int32_t> tokens);
  Node* Insert(Node* parent, std::span<const int32_t> tokens, int32_t block);
  void Remove(Node* leaf);
  void Touch(Node* node);

  KvCache* cache_;
  size_t block_tokens_;
  std::map<std::string, Node, std::less<>> roots_;  // by salt
  std::set<std::pair<uint64_t, Node*>> leaves_;     // by last use
  uint64_t now_ = 0;                                // counts Find and Add
  int64_t num_blocks_ = 0;
  int64_t evicted_blocks_ = 0;
};

}  // namespace infer
