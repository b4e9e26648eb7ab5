// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/tokenizer/vocabulary.h"

namespace infer {

// Finds control and user-defined tokens in text: the leftmost, and among those that begin there the
// longest. The time is proportional to the length of the text, whatever the tokens are. The
// vocabulary is passed to each call and must be the one it was made from.
class SpecialTokens {
 public:
  // Each byte takes about 20 in memory. Models have some ten thousand bytes.
  static constexpr size_t kMaxBytes = size_t{4} << 20;

  // Fails if the special tokens have more than kMaxBytes.
  static absl::StatusOr<SpecialTokens> Create(const Vocabulary& vocabulary);

  struct Found {
    size_t begin;  // byte in the text
    size_t end;
    int32_t id;
  };

  // Searches one text from left to right.
  class Search {
   public:
    Search(const SpecialTokens& tokens, const Vocabulary& vocabulary, std::string_view text)
        : tokens_(tokens), vocabulary_(vocabulary), text_(text) {}

    // Returns the first token that begins at `begin` or later; `begin` must not decrease.
    std::optional<Found> Next(size_t begin);

   private:
    struct Start {
      size_t begin;
      int32_t id;  // the longest token that begins there
    };
    void FillBlock(size_t begin);

    const SpecialTokens& tokens_;
    const Vocabulary& vocabulary_;
    std::string_view text_;
    size_t block_end_ = 0;       // starts before it have been found
    std::vector<Start> starts_;  // of the block, in descending order; used ones are removed
  };

  // Returns the id of the special token with exactly this text.
  std::optional<int32_t> IdOf(const Vocabulary& vocabulary, std::string_view text) const;

  size_t memory_bytes() const {
    return sorted_.capacity() * sizeof(sorted_[0]) + nodes_.capacity() * sizeof(nodes_[0]);
  }

 private:
  // An automaton of Aho and Corasick over the reversed tokens: it reads a text from right to left,
  // so that its state at a byte says which tokens begin there. Children of a node follow each
  // other, in ascending order of their bytes; node 0 is the root.
  struct Node {
    uint32_t first_child = 0;
    uint32_t shorter = 0;  // the node of the longest proper suffix that is in the tree
    int32_t longest = -1;  // the longest token that ends at this node or at a shorter one
    uint16_t children = 0;
    uint8_t byte = 0;
  };

  void AddNodes(const Vocabulary& vocabulary);
  void LinkNodes();
  uint32_t ChildOf(uint32_t node, uint8_t byte) const;  // 0: none
  uint32_t After(uint32_t state, uint8_t byte) const;

  std::vector<int32_t> sorted_;  // by text
  std::vector<Node> nodes_;
  std::array<uint32_t, 256> root_children_ = {};
  size_t max_bytes_ = 0;  // of a token
};

}  // namespace infer
