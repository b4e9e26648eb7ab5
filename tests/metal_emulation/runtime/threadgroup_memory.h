// SPDX-License-Identifier: Apache-2.0
//
// The threadgroup memory of one group: poisoned when the group starts, with a guard behind each
// piece that shows writes past its end.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace infer::emulation {

inline constexpr size_t kMaxThreadgroupBytes = 32768;  // of Metal
inline constexpr size_t kMaxGroupBytes = 256 * 1024;   // of any device

class ThreadgroupMemory {
 public:
  ThreadgroupMemory();

  // Forgets all pieces; the next group starts, with up to `limit` bytes (at most kMaxGroupBytes).
  void Clear(size_t limit = kMaxThreadgroupBytes);

  // A piece of `bytes` NaN bytes, or nullptr if the group then has more than its limit.
  void* Allocate(const void* key, const char* name, size_t bytes);

  // The piece made for `key`, or nullptr.
  void* Find(const void* key) const;

  // Bytes of all pieces, each rounded up to 16 as Metal does.
  size_t bytes() const { return bytes_; }

  // All that pieces are taken from.
  const std::byte* begin() const { return memory_.get(); }
  static size_t capacity();

  // The name of a piece that was written beyond, or empty.
  std::string DamagedPiece() const;

 private:
  struct Piece {
    const void* key;
    const char* name;
    size_t offset;
    size_t bytes;
  };

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  std::unique_ptr<std::byte[], Free> memory_;
  std::vector<Piece> pieces_;
  size_t used_ = 0;
  size_t bytes_ = 0;
  size_t limit_ = kMaxThreadgroupBytes;
};

}  // namespace infer::emulation
