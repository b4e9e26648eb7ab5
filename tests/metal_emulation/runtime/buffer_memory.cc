// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/runtime/buffer_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>

#include "absl/strings/str_format.h"
#include "tests/metal_emulation/runtime/poison.h"

namespace infer::emulation {
namespace {

// On either side. An index that is off by a row of a large matrix still ends there; it takes
// addresses, not memory.
constexpr size_t kGuardBytes = 1 << 20;

struct Extent {
  const std::byte* data;
  size_t bytes;
  const std::byte* mapping;
  size_t mapped_bytes;
};

std::mutex extents_mutex;
std::map<const BufferMemory*, Extent>& Extents() {
  static auto* const extents = new std::map<const BufferMemory*, Extent>;
  return *extents;
}

constexpr size_t RoundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

BufferMemory::BufferMemory(size_t bytes) : bytes_(bytes) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t body = RoundUp(bytes, page);
  mapped_bytes_ = body + 2 * kGuardBytes;
  void* const memory =
      mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  mapping_ = static_cast<std::byte*>(memory);
  if (mprotect(mapping_ + kGuardBytes, body, PROT_READ | PROT_WRITE) != 0) return;
  std::byte* const end = mapping_ + kGuardBytes + body;
  data_ = end - RoundUp(bytes, kBufferAlignment);
  std::memset(data_, kPoisonByte, static_cast<size_t>(end - data_));
  Poison(mapping_ + kGuardBytes, static_cast<size_t>(data_ - mapping_) - kGuardBytes);
  Poison(data_ + bytes, static_cast<size_t>(end - data_) - bytes);
  const std::lock_guard lock(extents_mutex);
  Extents()[this] = {data_, bytes_, mapping_, mapped_bytes_};
}

BufferMemory::~BufferMemory() {
  {
    const std::lock_guard lock(extents_mutex);
    Extents().erase(this);
  }
  if (mapping_ == nullptr) return;
  Unpoison(mapping_, mapped_bytes_);
  munmap(mapping_, mapped_bytes_);
}

std::string DescribeAddress(const void* address) {
  const auto* const at = static_cast<const std::byte*>(address);
  const std::lock_guard lock(extents_mutex);
  for (const auto& [memory, extent] : Extents()) {
    if (at < extent.mapping || at >= extent.mapping + extent.mapped_bytes) continue;
    if (at < extent.data) {
      return absl::StrFormat("%d bytes before a buffer of %u bytes", extent.data - at,
                             extent.bytes);
    }
    return absl::StrFormat("%d bytes beyond the end of a buffer of %u bytes",
                           at - (extent.data + extent.bytes), extent.bytes);
  }
  return absl::StrFormat("address %p, which is in no buffer of the device", address);
}

}  // namespace infer::emulation
