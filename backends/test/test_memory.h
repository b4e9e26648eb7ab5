// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "runtime/memory_space.h"

namespace infer {

// The memory of the test device. The addresses that it returns belong to inaccessible pages; the
// actual bytes are elsewhere. Must outlive its allocations.
class TestMemory : public MemorySpace {
 public:
  absl::StatusOr<std::unique_ptr<SpaceMemory>> Allocate(uint64_t bytes) override;
  absl::Status Upload(std::span<const std::byte> from, std::byte* to) override;
  void Copy(const std::byte* from, std::byte* to, uint64_t bytes) override;
  void Zero(std::byte* at, uint64_t bytes) override;

  // Returns where `bytes` bytes at a device address really are; nullptr if they are not entirely in
  // one allocation.
  std::byte* Find(const std::byte* address, uint64_t bytes) const;
  // Bytes currently allocated.
  uint64_t bytes() const;

 private:
  class Allocation;
  struct Entry {
    std::byte* real = nullptr;
    uint64_t bytes = 0;
  };

  mutable std::mutex mutex_;
  std::map<const std::byte*, Entry> entries_;  // by the address that was returned
};

}  // namespace infer
