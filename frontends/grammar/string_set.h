// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace infer {

// Strings as a tree of code points, each with a number: the values of an enum, or the keys of an
// object in their order.
class StringSet {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint32_t kRoot = 0;

  StringSet() : nodes_(1) {}
  // Of valid UTF-8, numbered in this order. Equal strings have the number of the first.
  explicit StringSet(const std::vector<std::string_view>& texts);

  // What a string takes at most: a node for each character, and lists of it in their parents.
  static size_t MemoryBytes(std::string_view text) { return 120 * (text.size() + 1) + 64; }

  // The strings with these numbers keep them, but nothing leads to them any more.
  void Hide(const std::vector<bool>& numbers);

  // Returns the node that `code_point` leads to, or kNone.
  uint32_t Next(uint32_t node, uint32_t code_point) const;
  // Returns the number of the string that ends at the node, or kNone.
  uint32_t NumberAt(uint32_t node) const { return nodes_[node].number; }
  // Returns the only code point that leads to a string with a number from `low` to `high`, or kNone
  // if several do or none.
  uint32_t OnlyNext(uint32_t node, uint32_t low, uint32_t high) const;
  // Calls `use` with each code point that leads to a string with a number from `low` to `high`.
  template <class Use>
  void ForEachNext(uint32_t node, uint32_t low, uint32_t high, const Use& use) const {
    for (const Edge& edge : nodes_[node].edges) {
      if (LeadsTo(edge.node, low, high)) use(edge.code_point);
    }
  }
  // Whether a string with a number from `low` to `high` goes through the node.
  bool LeadsTo(uint32_t node, uint32_t low, uint32_t high) const;
  // Whether one does after a code point from `first` to `last`.
  bool LeadsTo(uint32_t node, uint32_t first, uint32_t last, uint32_t low, uint32_t high) const;

 private:
  struct Edge {
    uint32_t code_point;
    uint32_t node;
  };
  struct Node {
    uint32_t number = kNone;
    std::vector<Edge> edges;        // ascending
    std::vector<uint32_t> numbers;  // of the strings through here, ascending
  };
  std::vector<Node> nodes_;
};

}  // namespace infer
