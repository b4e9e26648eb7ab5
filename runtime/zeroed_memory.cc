// SPDX-License-Identifier: Apache-2.0
#include "runtime/zeroed_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "ir/base/strings.h"

namespace infer {

void PreferHugePages([[maybe_unused]] void* pages, [[maybe_unused]] uint64_t bytes) {
#ifdef MADV_HUGEPAGE
  if (bytes > 0) madvise(pages, bytes, MADV_HUGEPAGE);
#endif
}

absl::StatusOr<ZeroedMemory> ZeroedMemory::Create(uint64_t bytes, Pages pages) {
  ZeroedMemory memory;
  if (bytes == 0) return memory;
  if (bytes > std::numeric_limits<size_t>::max()) {
    return absl::ResourceExhaustedError(StrCat(bytes, " bytes exceed the address space"));
  }
  void* mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, 0);
  if (mapped == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        StrCat("the system refused ", bytes, " bytes: ", std::strerror(errno)));
  }
  if (pages == Pages::kHuge) PreferHugePages(mapped, bytes);
  memory.data_ = static_cast<std::byte*>(mapped);
  memory.bytes_ = bytes;
  return memory;
}

ZeroedMemory::ZeroedMemory(ZeroedMemory&& other) noexcept { *this = std::move(other); }

ZeroedMemory& ZeroedMemory::operator=(ZeroedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

ZeroedMemory::~ZeroedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace infer
