// SPDX-License-Identifier: Apache-2.0
#include "backends/test/test_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/zeroed_memory.h"

namespace infer {

class TestMemory::Allocation : public SpaceMemory {
 public:
  Allocation(TestMemory* owner, std::byte* address, ZeroedMemory real)
      : owner_(owner), address_(address), real_(std::move(real)) {
    const std::lock_guard lock(owner_->mutex_);
    owner_->entries_[address_] = {real_.data(), real_.bytes()};
  }
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;
  ~Allocation() override {
    const std::lock_guard lock(owner_->mutex_);
    owner_->entries_.erase(address_);
    munmap(address_, real_.bytes());
  }
  std::byte* data() const override { return address_; }
  uint64_t bytes() const override { return real_.bytes(); }

 private:
  TestMemory* owner_;
  std::byte* address_;
  ZeroedMemory real_;
};

absl::StatusOr<std::unique_ptr<SpaceMemory>> TestMemory::Allocate(uint64_t bytes) {
  if (bytes == 0) bytes = 1;  // still needs an address
  ASSIGN_OR_RETURN(ZeroedMemory real, ZeroedMemory::Create(bytes));
  void* address = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, 0);
  if (address == MAP_FAILED) {
    return absl::ResourceExhaustedError(StrCat("the system refused ", bytes, " bytes"));
  }
  return std::make_unique<Allocation>(this, static_cast<std::byte*>(address), std::move(real));
}

absl::Status TestMemory::Upload(std::span<const std::byte> from, std::byte* to) {
  std::byte* real = Find(to, from.size());
  if (real == nullptr) return absl::InternalError("test: upload to memory outside the device");
  std::memcpy(real, from.data(), from.size());
  return absl::OkStatus();
}

void TestMemory::Copy(const std::byte* from, std::byte* to, uint64_t bytes) {
  std::memcpy(Find(to, bytes), Find(from, bytes), bytes);
}

void TestMemory::Zero(std::byte* at, uint64_t bytes) { std::memset(Find(at, bytes), 0, bytes); }

std::byte* TestMemory::Find(const std::byte* address, uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  auto after = entries_.upper_bound(address);
  if (after == entries_.begin()) return nullptr;
  const auto& [begin, entry] = *std::prev(after);
  const uint64_t offset = static_cast<uint64_t>(address - begin);
  if (offset > entry.bytes || bytes > entry.bytes - offset) return nullptr;
  return entry.real + offset;
}

uint64_t TestMemory::bytes() const {
  const std::lock_guard lock(mutex_);
  uint64_t bytes = 0;
  for (const auto& [address, entry] : entries_) bytes += entry.bytes;
  return bytes;
}

}  // namespace infer
