// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

namespace infer {

// The free ranges of an arena that can grow at its end. Only ranges that were taken may be given
// back.
class FreeList {
 public:
  // Returns the offset of the smallest gap that holds this many bytes, or else of the arena's end,
  // which grows by what the last gap lacks.
  uint64_t Take(uint64_t bytes);
  void GiveBack(uint64_t offset, uint64_t bytes);

  // The size that the arena has reached.
  uint64_t end() const { return end_; }

 private:
  uint64_t Grow(uint64_t bytes);

  std::map<uint64_t, uint64_t> gaps_;  // offset -> bytes; neighbours are joined
  uint64_t end_ = 0;
};

}  // namespace infer
