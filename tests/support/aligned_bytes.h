// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

namespace infer {

// Memory that starts at a multiple of 64, as a slot of the runtime does, or `offset` bytes after
// one, and ends exactly after `size` bytes, so that a sanitizer sees every access past the end.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  AlignedBytes(size_t size, std::byte fill, size_t offset = 0) : size_(size), offset_(offset) {
    void* memory = nullptr;
    if (posix_memalign(&memory, 64, size + offset + (size + offset == 0)) != 0) std::abort();
    memory_.reset(static_cast<std::byte*>(memory));
    std::memset(data(), std::to_integer<int>(fill), size);
  }
  explicit AlignedBytes(std::span<const std::byte> bytes, size_t offset = 0)
      : AlignedBytes(bytes.size(), std::byte{0}, offset) {
    if (!bytes.empty()) std::memcpy(data(), bytes.data(), bytes.size());
  }

  std::byte* data() const { return memory_.get() + offset_; }
  size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  size_t size_ = 0;
  size_t offset_ = 0;
};

}  // namespace infer
