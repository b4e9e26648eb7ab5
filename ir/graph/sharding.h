// SPDX-License-Identifier: Apache-2.0
//
// How values and work are divided over ranks: processes that run one Program together, each with a
// part of the weights. ARCHITECTURE.md, section "Sharding".
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace infer {

class Node;

inline constexpr int64_t kMaxRanks = 1024;

// The part of a weight that a rank has: one of `parts` equal parts along `axis`, in the order of
// the ranks. No parts: all of it.
struct WeightSlice {
  int32_t axis = 0;
  int32_t parts = 0;
  bool operator==(const WeightSlice&) const = default;
};

// What a rank has of a value.
struct Sharding {
  enum class Kind : uint8_t {
    kReplicated,  // all of it
    kSplit,       // one of `ranks` equal parts along `axis`, in the order of the ranks
    kPartial,     // a term of the same shape; the value is the sum over all ranks
  };
  Kind kind = Kind::kReplicated;
  int8_t axis = 0;  // of kSplit

  static constexpr Sharding Replicated() { return {}; }
  static constexpr Sharding Split(int axis) { return {Kind::kSplit, static_cast<int8_t>(axis)}; }
  static constexpr Sharding Partial() { return {Kind::kPartial, 0}; }
  bool is_replicated() const { return kind == Kind::kReplicated; }
  bool operator==(const Sharding&) const = default;
};

// "replicated", "split along axis 1", "partial".
std::string ToString(Sharding sharding);

// The most weight rows that a packed panel has on any machine. Parts of a product's columns begin
// at multiples of it, so that every rank multiplies the panels that one process would.
inline constexpr int64_t kShardColumns = 16;

// Returns how many pieces a product's columns, or its inner elements in blocks, can be cut into; 1
// if they are not whole groups.
inline int64_t UnitsOfColumns(int64_t columns, int64_t block = 1) {
  const int64_t group = std::max(kShardColumns, block);
  return columns % group == 0 ? columns / group : 1;
}

// One way to divide a node's work: what each rank needs of the inputs and what it then has of the
// results.
struct ShardStrategy {
  std::vector<Sharding> inputs;   // one for each input
  std::vector<Sharding> results;  // one for each result
  // What is divided has this many indivisible pieces; 0: any number of ranks will do.
  int64_t units = 0;
  std::string_view unit_name = {};  // plural: "key/value heads"
  std::string_view reason = {};     // why it may be divided this way
  // Whether every rank adds in the order in which one process does, so that the bits are the same.
  bool is_exact = true;
  void (*divide_attrs)(Node* node,
                       int64_t ranks) = nullptr;  // nullptr: attributes stay as they are
};

}  // namespace infer
