// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/special_tokens.h"

#include <algorithm>
#include <span>

#include "ir/base/strings.h"

namespace infer {
namespace {

// Starts are found block by block: a text of nothing but special tokens has one at every byte.
constexpr size_t kBlockBytes = size_t{1} << 20;

uint8_t ReversedByte(std::string_view text, size_t depth) {
  return static_cast<uint8_t>(text[text.size() - 1 - depth]);
}

}  // namespace

absl::StatusOr<SpecialTokens> SpecialTokens::Create(const Vocabulary& vocabulary) {
  SpecialTokens tokens;
  size_t bytes = 0;
  for (int32_t id = 0; id < vocabulary.token_count(); ++id) {
    if (!vocabulary.is_special(id)) continue;
    tokens.sorted_.push_back(id);
    bytes += vocabulary.text(id).size();
    tokens.max_bytes_ = std::max(tokens.max_bytes_, vocabulary.text(id).size());
  }
  if (bytes > kMaxBytes) {
    return absl::InvalidArgumentError(StrCat(
        "tokenizer.ggml.token_type: the control and user-defined tokens have ", bytes,
        " bytes together, expected at most ", kMaxBytes, "; is the type of other tokens wrong?"));
  }
  tokens.AddNodes(vocabulary);
  tokens.LinkNodes();
  std::ranges::sort(tokens.sorted_, {}, [&](int32_t id) { return vocabulary.text(id); });
  return tokens;
}

// Adds the nodes of a depth after those of the one before. A node stands for the tokens that agree
// in their last bytes, which are neighbours when sorted by the reversed text; one that is not
// longer than that sorts first.
void SpecialTokens::AddNodes(const Vocabulary& vocabulary) {
  std::vector<int32_t> order = sorted_;
  std::ranges::sort(order, [&](int32_t a, int32_t b) {
    const std::string_view x = vocabulary.text(a), y = vocabulary.text(b);
    return std::lexicographical_compare(
        x.rbegin(), x.rend(), y.rbegin(), y.rend(),
        [](char c, char d) { return static_cast<uint8_t>(c) < static_cast<uint8_t>(d); });
  });
  std::vector<std::span<const int32_t>> tokens_of = {order};
  nodes_.emplace_back();
  size_t depth = 0;
  for (size_t begin = 0, end = 1; begin < end; ++depth) {
    for (size_t node = begin; node < end; ++node) {
      std::span<const int32_t> rest = tokens_of[node];
      nodes_[node].first_child = static_cast<uint32_t>(nodes_.size());
      while (!rest.empty() && vocabulary.text(rest[0]).size() == depth) {
        if (nodes_[node].longest < 0) nodes_[node].longest = rest[0];
        rest = rest.subspan(1);
      }
      while (!rest.empty()) {
        const uint8_t byte = ReversedByte(vocabulary.text(rest[0]), depth);
        const auto same = [&](int32_t id) {
          return ReversedByte(vocabulary.text(id), depth) == byte;
        };
        const auto length =
            static_cast<size_t>(std::ranges::partition_point(rest, same) - rest.begin());
        ++nodes_[node].children;
        nodes_.emplace_back().byte = byte;
        tokens_of.push_back(rest.first(length));
        rest = rest.subspan(length);
      }
    }
    begin = end;
    end = nodes_.size();
  }
}

// Parents come before their children, and so do all nodes of smaller depth.
void SpecialTokens::LinkNodes() {
  for (uint32_t i = 0; i < nodes_[0].children; ++i) {
    const uint32_t child = nodes_[0].first_child + i;
    root_children_[nodes_[child].byte] = child;
  }
  for (uint32_t node = 1; node < nodes_.size(); ++node) {
    for (uint32_t i = 0; i < nodes_[node].children; ++i) {
      Node& child = nodes_[nodes_[node].first_child + i];
      child.shorter = After(nodes_[node].shorter, child.byte);
    }
    if (nodes_[node].longest < 0) nodes_[node].longest = nodes_[nodes_[node].shorter].longest;
  }
}

uint32_t SpecialTokens::ChildOf(uint32_t node, uint8_t byte) const {
  if (node == 0) return root_children_[byte];
  const std::span<const Node> children(nodes_.data() + nodes_[node].first_child,
                                       nodes_[node].children);
  const auto found = std::ranges::lower_bound(children, byte, {}, &Node::byte);
  if (found == children.end() || found->byte != byte) return 0;
  return static_cast<uint32_t>(&*found - nodes_.data());
}

uint32_t SpecialTokens::After(uint32_t state, uint8_t byte) const {
  while (true) {
    const uint32_t next = ChildOf(state, byte);
    if (next != 0 || state == 0) return next;
    state = nodes_[state].shorter;
  }
}

// Tokens that begin in the block may end behind it.
void SpecialTokens::Search::FillBlock(size_t begin) {
  block_end_ = begin + std::min(kBlockBytes, text_.size() - begin);
  uint32_t state = 0;
  for (size_t pos = block_end_ + std::min(tokens_.max_bytes_, text_.size() - block_end_);
       pos-- > begin;) {
    state = tokens_.After(state, static_cast<uint8_t>(text_[pos]));
    const int32_t id = tokens_.nodes_[state].longest;
    if (id >= 0 && pos < block_end_) starts_.push_back({pos, id});
  }
}

std::optional<SpecialTokens::Found> SpecialTokens::Search::Next(size_t begin) {
  if (tokens_.sorted_.empty()) return std::nullopt;
  while (true) {
    while (!starts_.empty() && starts_.back().begin < begin) starts_.pop_back();
    if (!starts_.empty()) {
      const auto [at, id] = starts_.back();
      return Found{at, at + vocabulary_.text(id).size(), id};
    }
    const size_t next = std::max(begin, block_end_);
    if (next >= text_.size()) return std::nullopt;
    FillBlock(next);
  }
}

std::optional<int32_t> SpecialTokens::IdOf(const Vocabulary& vocabulary,
                                           std::string_view text) const {
  auto it =
      std::lower_bound(sorted_.begin(), sorted_.end(), text,
                       [&](int32_t id, std::string_view t) { return vocabulary.text(id) < t; });
  if (it == sorted_.end() || vocabulary.text(*it) != text) return std::nullopt;
  return *it;
}

}  // namespace infer
