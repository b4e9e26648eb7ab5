// SPDX-License-Identifier: Apache-2.0
#include "passes/free_list.h"

#include <iterator>

namespace infer {

uint64_t FreeList::Take(uint64_t bytes) {
  auto best = gaps_.end();
  for (auto it = gaps_.begin(); it != gaps_.end(); ++it) {
    if (it->second >= bytes && (best == gaps_.end() || it->second < best->second)) best = it;
  }
  if (best == gaps_.end()) return Grow(bytes);
  auto [offset, gap_bytes] = *best;
  gaps_.erase(best);
  if (gap_bytes > bytes) gaps_[offset + bytes] = gap_bytes - bytes;
  return offset;
}

uint64_t FreeList::Grow(uint64_t bytes) {
  uint64_t offset = end_;
  if (!gaps_.empty()) {
    auto last = std::prev(gaps_.end());
    if (last->first + last->second == end_) {
      offset = last->first;
      gaps_.erase(last);
    }
  }
  end_ = offset + bytes;
  return offset;
}

void FreeList::GiveBack(uint64_t offset, uint64_t bytes) {
  auto after = gaps_.lower_bound(offset);
  if (after != gaps_.end() && offset + bytes == after->first) {
    bytes += after->second;
    after = gaps_.erase(after);
  }
  if (after != gaps_.begin()) {
    auto before = std::prev(after);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  gaps_[offset] = bytes;
}

}  // namespace infer
