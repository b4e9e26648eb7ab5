// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory_space.h"

#include <cstring>
#include <utility>

#include "ir/base/status_macros.h"
#include "runtime/zeroed_memory.h"

namespace infer {
namespace {

class CpuMemory : public SpaceMemory {
 public:
  explicit CpuMemory(ZeroedMemory memory) : memory_(std::move(memory)) {}
  std::byte* data() const override { return memory_.data(); }
  uint64_t bytes() const override { return memory_.bytes(); }

 private:
  ZeroedMemory memory_;
};

class CpuMemorySpace : public MemorySpace {
 public:
  absl::StatusOr<std::unique_ptr<SpaceMemory>> Allocate(uint64_t bytes) override {
    ASSIGN_OR_RETURN(ZeroedMemory memory, ZeroedMemory::Create(bytes));
    return std::make_unique<CpuMemory>(std::move(memory));
  }
  absl::Status Upload(std::span<const std::byte> from, std::byte* to) override {
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
    return absl::OkStatus();
  }
  void Copy(const std::byte* from, std::byte* to, uint64_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void Zero(std::byte* at, uint64_t bytes) override { std::memset(at, 0, bytes); }
};

}  // namespace

MemorySpace& CpuSpace() {
  static CpuMemorySpace space;
  return space;
}

}  // namespace infer
