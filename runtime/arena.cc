// SPDX-License-Identifier: Apache-2.0
#include "runtime/arena.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "ir/strings.h"

namespace infer {

absl::StatusOr<ArenaMemory> ArenaMemory::Allocate(uint64_t bytes, const char* what) {
  ArenaMemory memory;
  if (bytes == 0) return memory;
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    return absl::ResourceExhaustedError(StrCat("no memory for ", what, " (", bytes,
                                               " bytes): ", std::strerror(errno),
                                               "; try a smaller context (-c) or chunk (-ub)"));
  }
  memory.data_ = static_cast<std::byte*>(data);
  memory.bytes_ = bytes;
  return memory;
}

ArenaMemory::~ArenaMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace infer
