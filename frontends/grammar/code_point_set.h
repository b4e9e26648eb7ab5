// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace infer {

inline constexpr uint32_t kMaxCodePoint = 0x10FFFF;

struct CodePointRange {
  uint32_t low;
  uint32_t high;  // included

  friend bool operator==(const CodePointRange&, const CodePointRange&) = default;
  template <class H>
  friend H AbslHashValue(H h, const CodePointRange& range) {
    return H::combine(std::move(h), range.low, range.high);
  }
};

// A set of Unicode code points, kept as ascending ranges that do not touch each other.
class CodePointSet {
 public:
  static CodePointSet All();
  // Of any ranges, which may overlap.
  static CodePointSet Of(std::vector<CodePointRange> ranges);

  // Takes time with the number of ranges; Of() is for many.
  void Add(uint32_t low, uint32_t high);
  CodePointSet Complement() const;

  bool Contains(uint32_t code_point) const { return Intersects(code_point, code_point); }
  // Whether the set has an element from `low` to `high`.
  bool Intersects(uint32_t low, uint32_t high) const;
  bool empty() const { return ranges_.empty(); }
  const std::vector<CodePointRange>& ranges() const { return ranges_; }

  friend bool operator==(const CodePointSet&, const CodePointSet&) = default;
  template <class H>
  friend H AbslHashValue(H h, const CodePointSet& set) {
    return H::combine(std::move(h), set.ranges_);
  }

 private:
  std::vector<CodePointRange> ranges_;
};

}  // namespace infer
