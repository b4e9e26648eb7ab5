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

// The memory of the test device. The addresses that it gives out belong to pages that nobody may
// read or write; what they stand for lies elsewhere. Must outlive its allocations.
class TestMemory : public MemorySpace {
 public:
  absl::StatusOr<std::unique_ptr<SpaceMemory>> Allocate(uint64_t bytes) override;
  absl::Status Upload(std::span<const std::byte> from, std::byte* to) override;
  void Copy(const std::byte* from, std::byte* to, uint64_t bytes) override;
  void Zero(std::byte* at, uint64_t bytes) override;

  // Where so many bytes at a device's address are; nullptr if they are not whole in one allocation.
  std::byte* Find(const std::byte* address, uint64_t bytes) const;
  // Allocated at the moment.
  uint64_t bytes() const;

 private:
  class Allocation;
  struct Entry {
    std::byte* real = nullptr;
    uint64_t bytes = 0;
  };

  mutable std::mutex mutex_;
  std::map<const std::byte*, Entry> entries_;  // by the address that was given out
};

}  // namespace infer
