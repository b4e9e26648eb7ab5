// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/code_point_set.h"

#include <algorithm>

namespace infer {

CodePointSet CodePointSet::All() {
  CodePointSet all;
  all.Add(0, kMaxCodePoint);
  return all;
}

void CodePointSet::Add(uint32_t low, uint32_t high) {
  // The ranges that overlap [low, high] or touch it become one.
  auto first = std::ranges::find_if(
      ranges_, [&](const CodePointRange& r) { return uint64_t{r.high} + 1 >= low; });
  auto last = std::find_if(first, ranges_.end(),
                           [&](const CodePointRange& r) { return r.low > uint64_t{high} + 1; });
  if (first != last) {
    low = std::min(low, first->low);
    high = std::max(high, std::prev(last)->high);
  }
  first = ranges_.erase(first, last);
  ranges_.insert(first, {low, high});
}

CodePointSet CodePointSet::Of(std::vector<CodePointRange> ranges) {
  std::ranges::sort(ranges, {}, &CodePointRange::low);
  CodePointSet set;
  for (const CodePointRange& range : ranges) {
    if (set.ranges_.empty() || uint64_t{set.ranges_.back().high} + 1 < range.low) {
      set.ranges_.push_back(range);
    } else {
      set.ranges_.back().high = std::max(set.ranges_.back().high, range.high);
    }
  }
  return set;
}

CodePointSet CodePointSet::Complement() const {
  CodePointSet rest;
  uint32_t next = 0;
  for (const CodePointRange& range : ranges_) {
    if (range.low > next) rest.ranges_.push_back({next, range.low - 1});
    next = range.high + 1;
  }
  if (next <= kMaxCodePoint) rest.ranges_.push_back({next, kMaxCodePoint});
  return rest;
}

bool CodePointSet::Intersects(uint32_t low, uint32_t high) const {
  auto it =
      std::ranges::partition_point(ranges_, [&](const CodePointRange& r) { return r.high < low; });
  return it != ranges_.end() && it->low <= high;
}

}  // namespace infer
