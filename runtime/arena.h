// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"

namespace infer {

// Zeroed memory straight from the system, aligned to a page. Pages cost memory only once they are
// touched, so an arena planned for the longest call is free until such a call comes.
class ArenaMemory {
 public:
  static absl::StatusOr<ArenaMemory> Allocate(uint64_t bytes, const char* what);

  ArenaMemory() = default;
  ArenaMemory(ArenaMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ArenaMemory& operator=(ArenaMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~ArenaMemory();

  std::byte* data() const { return data_; }
  uint64_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace infer
