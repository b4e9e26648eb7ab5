// SPDX-License-Identifier: Apache-2.0
//
// Memory of the buffers that the software device allocates: filled with NaN, ending as near as
// alignment allows before a page that cannot be touched.
#pragma once

#include <cstddef>
#include <string>

namespace infer::emulation {

// What the CPU's kernels may ask of activations that live in a buffer.
inline constexpr size_t kBufferAlignment = 64;

class BufferMemory {
 public:
  // `bytes` > 0. data() is nullptr if the system has no memory.
  explicit BufferMemory(size_t bytes);
  ~BufferMemory();
  BufferMemory(const BufferMemory&) = delete;
  BufferMemory& operator=(const BufferMemory&) = delete;

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  std::byte* mapping_ = nullptr;
  size_t mapped_bytes_ = 0;
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

// "12 bytes beyond the end of a buffer of 256 bytes", for an address that a shader touched.
std::string DescribeAddress(const void* address);

}  // namespace infer::emulation
