// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

namespace infer {

// Free ranges of an arena that can grow at its end. Ranges that are given back must have been
// taken.
class FreeList {
 public:
  // The offset of the smallest gap that holds so many bytes, or else of the arena's end, which
  // grows by what the last gap lacks.
  uint64_t Take(uint64_t bytes);
  void GiveBack(uint64_t offset, uint64_t bytes);

  // How large the arena has become.
  uint64_t end() const { return end_; }

 private:
  uint64_t Grow(uint64_t bytes);

  std::map<uint64_t, uint64_t> gaps_;  // offset -> bytes; neighbours are joined
  uint64_t end_ = 0;
};

}  // namespace infer
