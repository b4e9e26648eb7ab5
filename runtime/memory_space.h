// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace infer {

// An allocation in a memory space, freed on destruction. Its addresses are the device's: outside
// the cpu's space, only the device may read or write there.
class SpaceMemory {
 public:
  virtual ~SpaceMemory() = default;
  virtual std::byte* data() const = 0;
  virtual uint64_t bytes() const = 0;
};

// The memory that a device works in, which holds the weights, caches and call values of its steps.
// Allocations may come from any thread; the other functions are called only for memory that no call
// is using, and are complete when they return.
class MemorySpace {
 public:
  virtual ~MemorySpace() = default;
  // Returns zeroed memory; kResourceExhausted if there is not enough.
  virtual absl::StatusOr<std::unique_ptr<SpaceMemory>> Allocate(uint64_t bytes) = 0;
  // Copies from the cpu's memory to this one.
  virtual absl::Status Upload(std::span<const std::byte> from, std::byte* to) = 0;
  // Copies within this memory.
  virtual void Copy(const std::byte* from, std::byte* to, uint64_t bytes) = 0;
  virtual void Zero(std::byte* at, uint64_t bytes) = 0;
};

// The memory of the process itself.
MemorySpace& CpuSpace();

}  // namespace infer
