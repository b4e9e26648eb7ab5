// SPDX-License-Identifier: Apache-2.0
//
// Only for ir/verify/verify_memory.cc.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace infer {

struct MemoryRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// The memory in use at a step, by offset. Its ranges are disjoint.
class UsedMemory {
 public:
  struct Entry {
    uint64_t end;
    int32_t group;
  };

  // Returns the group that overlaps the range, or -1.
  int32_t FindOverlap(MemoryRange range) const {
    auto after = entries_.lower_bound(range.end);
    if (after == entries_.begin()) return -1;
    const auto& [begin, entry] = *std::prev(after);
    return entry.end > range.begin ? entry.group : -1;
  }
  void Add(MemoryRange range, int32_t group) { entries_[range.begin] = {range.end, group}; }
  void Remove(uint64_t begin) { entries_.erase(begin); }

 private:
  std::map<uint64_t, Entry> entries_;
};

}  // namespace infer
