// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace infer {

// An allocation in a memory space; freed when it dies. Its addresses are the device's: on a space
// other than the cpu's nobody but the device may read or write there.
class SpaceMemory {
 public:
  virtual ~SpaceMemory() = default;
  virtual std::byte* data() const = 0;
  virtual uint64_t bytes() const = 0;
};

// The memory that a device works in: where weights, caches and the values of a call lie for its
// steps. Allocations may come from any thread; the other functions are called for memory that no
// call is using, and are complete when they return.
class MemorySpace {
 public:
  virtual ~MemorySpace() = default;
  // All zeros. kResourceExhausted if there is not so much.
  virtual absl::StatusOr<std::unique_ptr<SpaceMemory>> Allocate(uint64_t bytes) = 0;
  // From the cpu's memory to this one.
  virtual absl::Status Upload(std::span<const std::byte> from, std::byte* to) = 0;
  // Within this memory.
  virtual void Copy(const std::byte* from, std::byte* to, uint64_t bytes) = 0;
  virtual void Zero(std::byte* at, uint64_t bytes) = 0;
};

// The process's own.
MemorySpace& CpuSpace();

}  // namespace infer
