// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace infer {

inline constexpr uint32_t kMaxCodePoint = 0x10FFFF;

struct CodePointRange {
  uint32_t low;
  uint32_t high;  // included

  friend bool operator==(const CodePointRange&, const CodePointRange&) = default;
};

// A set of Unicode code points, kept as ascending ranges that do not touch each other.
class CodePointSet {
 public:
  static CodePointSet All();

  void Add(uint32_t low, uint32_t high);
  void Add(const CodePointSet& other);
  CodePointSet Complement() const;

  bool Contains(uint32_t code_point) const { return Intersects(code_point, code_point); }
  // Whether the set has an element from `low` to `high`.
  bool Intersects(uint32_t low, uint32_t high) const;
  bool empty() const { return ranges_.empty(); }
  const std::vector<CodePointRange>& ranges() const { return ranges_; }

  friend bool operator==(const CodePointSet&, const CodePointSet&) = default;

 private:
  std::vector<CodePointRange> ranges_;
};

}  // namespace infer
