// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace infer {

// Memory that processes of the same host can open while the one that made it lives, or map several
// times. Zeroed; its pages are committed when first written. Empty where the system has no such
// memory.
class HostMemory {
 public:
  HostMemory() = default;
  HostMemory(HostMemory&& other) noexcept;
  HostMemory& operator=(HostMemory&& other) noexcept;
  ~HostMemory();

  static HostMemory Create(size_t bytes);
  // Opens the memory that process `pid` has created as `handle`.
  static HostMemory Open(int64_t pid, int64_t handle, size_t bytes);
  // Puts it in the place of the pages at `at`, which stay until those are unmapped. Returns whether
  // the system did so.
  bool MapAt(std::byte* at) const;

  explicit operator bool() const { return data_ != nullptr; }
  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  int64_t handle() const { return fd_; }

 private:
  static HostMemory Map(int fd, size_t bytes);

  int fd_ = -1;
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace infer
