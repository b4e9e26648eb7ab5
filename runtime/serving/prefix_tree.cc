// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/prefix_tree.h"

#include <algorithm>
#include <iterator>

namespace infer {
namespace {

size_t CommonTokens(std::span<const int32_t> a, std::span<const int32_t> b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

std::span<const int32_t> PrefixTree::TokenOrder::TokensOf(const std::unique_ptr<Node>& node) {
  return node->tokens;
}

bool PrefixTree::TokenOrder::Less(std::span<const int32_t> a, std::span<const int32_t> b) {
  return std::ranges::lexicographical_compare(a, b);
}

PrefixTree::PrefixTree(KvCache* cache)
    : cache_(cache), block_tokens_(static_cast<size_t>(cache->block_positions())) {}

PrefixTree::~PrefixTree() {
  while (!leaves_.empty()) Remove(leaves_.begin()->second);
}

// Children are in the order of their tokens, so the one with the longest common beginning is next
// to where `tokens` would be.
PrefixTree::Match PrefixTree::BestChild(const Node& node, std::span<const int32_t> tokens) {
  Match best;
  auto after = node.children.lower_bound(tokens);
  if (after != node.children.end()) {
    best = {after->get(), CommonTokens((*after)->tokens, tokens)};
  }
  if (after != node.children.begin()) {
    Node* before = std::prev(after)->get();
    const size_t common = CommonTokens(before->tokens, tokens);
    if (common > best.tokens) best = {before, common};
  }
  return best;
}

CachedPrefix PrefixTree::Find(std::string_view salt, std::span<const int32_t> text) {
  CachedPrefix found;
  const auto root = roots_.find(salt);
  if (root == roots_.end()) return found;
  ++now_;
  Node* node = &root->second;
  while (!text.empty()) {
    const Match match = BestChild(*node, text.first(std::min(text.size(), block_tokens_)));
    if (match.tokens == 0) {
      found.differs = !node->children.empty();
      break;
    }
    Touch(match.node);
    found.blocks.push_back(match.node->block);
    found.tokens += static_cast<int64_t>(match.tokens);
    text = text.subspan(match.tokens);
    if (match.tokens < block_tokens_) {
      found.differs = !text.empty() && match.tokens < match.node->tokens.size();
      break;
    }
    node = match.node;
  }
  return found;
}

void PrefixTree::Add(std::string_view salt, std::span<const int32_t> text, SequenceId sequence,
                     bool with_tail) {
  if (text.size() < block_tokens_ && (!with_tail || text.empty())) return;
  auto root = roots_.find(salt);
  if (root == roots_.end()) {
    root = roots_.emplace(std::string(salt), Node()).first;
    root->second.salt = root->first;
  }
  ++now_;
  Node* node = &root->second;
  size_t index = 0;  // of the block
  for (; text.size() >= block_tokens_; ++index) {
    const std::span<const int32_t> tokens = text.first(block_tokens_);
    const auto same = node->children.find(tokens);
    if (same == node->children.end()) {
      node = Insert(node, tokens, cache_->blocks(sequence)[index]);
    } else {
      node = same->get();
      cache_->ReplaceBlock(sequence, index, node->block);
      Touch(node);
    }
    text = text.subspan(block_tokens_);
  }
  if (!with_tail || text.empty()) return;
  const Match longer = BestChild(*node, text);
  if (longer.tokens == text.size()) {
    Touch(longer.node);
  } else {
    Insert(node, text, cache_->blocks(sequence)[index]);
  }
}

PrefixTree::Node* PrefixTree::Insert(Node* parent, std::span<const int32_t> tokens, int32_t block) {
  // A partial block with the same beginning is of no more use.
  const Match shorter = BestChild(*parent, tokens);
  const bool replaces = shorter.node != nullptr && shorter.tokens == shorter.node->tokens.size();
  if (parent->children.empty()) leaves_.erase({parent->last_used, parent});
  auto node = std::make_unique<Node>();
  node->parent = parent;
  node->tokens.assign(tokens.begin(), tokens.end());
  node->block = block;
  node->last_used = now_;
  Node* inserted = node.get();
  cache_->KeepBlock(block);
  ++num_blocks_;
  parent->children.insert(std::move(node));
  leaves_.insert({now_, inserted});
  if (replaces) Remove(shorter.node);
  return inserted;
}

void PrefixTree::Remove(Node* leaf) {
  cache_->UnkeepBlock(leaf->block);
  --num_blocks_;
  leaves_.erase({leaf->last_used, leaf});
  Node* parent = leaf->parent;
  parent->children.erase(parent->children.find(std::span<const int32_t>(leaf->tokens)));
  if (!parent->children.empty()) return;
  if (parent->parent != nullptr) {
    leaves_.insert({parent->last_used, parent});
  } else {
    roots_.erase(roots_.find(parent->salt));
  }
}

bool PrefixTree::EvictOne() {
  // Each running sequence uses one leaf at most, so few are skipped.
  for (const auto& [used, leaf] : leaves_) {
    if (cache_->used_by_sequence(leaf->block)) continue;
    Remove(leaf);
    ++evicted_blocks_;
    return true;
  }
  return false;
}

void PrefixTree::Touch(Node* node) {
  const bool is_leaf = node->children.empty();
  if (is_leaf) leaves_.erase({node->last_used, node});
  node->last_used = now_;
  if (is_leaf) leaves_.insert({now_, node});
}

}  // namespace infer
