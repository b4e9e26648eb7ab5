// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/runtime/threadgroup_memory.h"

#include <algorithm>
#include <cstring>

#include "tests/metal_emulation/runtime/poison.h"

namespace infer::emulation {
namespace {

constexpr size_t kAlignment = 64;
// A row of a 32x32 tile of floats: an index that is one row off is seen.
constexpr size_t kGroupGuardBytes = 128;
constexpr size_t kMaxPieces = 64;
constexpr size_t kCapacity = kMaxGroupBytes + kMaxPieces * (kGroupGuardBytes + kAlignment);
// Bytes that no poisoned or computed number is made of.
constexpr unsigned char kGuardByte = 0xA5;

constexpr size_t RoundedUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

ThreadgroupMemory::ThreadgroupMemory()
    : memory_(static_cast<std::byte*>(std::aligned_alloc(kAlignment, kCapacity))) {}

size_t ThreadgroupMemory::capacity() { return kCapacity; }

void ThreadgroupMemory::Clear(size_t limit) {
  Unpoison(memory_.get(), used_);
  pieces_.clear();
  used_ = 0;
  bytes_ = 0;
  limit_ = limit;
}

void* ThreadgroupMemory::Allocate(const void* key, const char* name, size_t bytes) {
  const size_t rounded = RoundedUp(bytes, 16);
  if (bytes_ + rounded > limit_ || pieces_.size() == kMaxPieces) return nullptr;
  const size_t end = RoundedUp(used_ + bytes + kGroupGuardBytes, kAlignment);
  std::byte* const start = memory_.get() + used_;
  std::memset(start, kPoisonByte, bytes);
  std::memset(start + bytes, kGuardByte, end - used_ - bytes);
  Poison(start + bytes, end - used_ - bytes);
  pieces_.push_back({key, name, used_, bytes});
  used_ = end;
  bytes_ += rounded;
  return start;
}

void* ThreadgroupMemory::Find(const void* key) const {
  const auto piece = std::ranges::find(pieces_, key, &Piece::key);
  return piece == pieces_.end() ? nullptr : memory_.get() + piece->offset;
}

std::string ThreadgroupMemory::DamagedPiece() const {
  if (kHasAddressSanitizer) return "";  // it has seen the access itself
  for (const Piece& piece : pieces_) {
    const std::byte* const guard = memory_.get() + piece.offset + piece.bytes;
    if (std::any_of(guard, guard + kGroupGuardBytes,
                    [](std::byte b) { return b != std::byte{kGuardByte}; })) {
      return piece.name;
    }
  }
  return "";
}

}  // namespace infer::emulation
