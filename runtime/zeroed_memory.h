// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

namespace infer {

// Zeroed memory straight from the system, page-aligned. Pages become real when first written, so a
// large reservation costs only what is used of it. Moves, never copies; unmaps when it dies.
class ZeroedMemory {
 public:
  // kHuge asks for 2 MiB pages: what is read in one long stream then misses the TLB less often,
  // which gave matrix-vector products 1 to 2 %. Where the system has none, nothing changes.
  enum class Pages { kNormal, kHuge };
  // kResourceExhausted with the system's reason if it refuses; `bytes` of 0 gives no memory.
  static absl::StatusOr<ZeroedMemory> Create(uint64_t bytes, Pages pages = Pages::kNormal);

  ZeroedMemory() = default;
  ZeroedMemory(ZeroedMemory&& other) noexcept;
  ZeroedMemory& operator=(ZeroedMemory&& other) noexcept;
  ~ZeroedMemory();

  std::byte* data() const { return data_; }
  uint64_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace infer
