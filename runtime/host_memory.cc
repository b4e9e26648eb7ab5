// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "ir/base/strings.h"

namespace infer {

HostMemory HostMemory::Map(int fd, size_t bytes) {
  HostMemory memory;
  memory.fd_ = fd;
  memory.bytes_ = bytes;
  if (fd < 0) return memory;
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (data != MAP_FAILED) memory.data_ = static_cast<std::byte*>(data);
  return memory;
}

bool HostMemory::MapAt(std::byte* at) const {
  return data_ != nullptr &&
         mmap(at, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd_, 0) != MAP_FAILED;
}

#if defined(__linux__)

HostMemory HostMemory::Create(size_t bytes) {
  const int fd = memfd_create("infer-ranks", MFD_CLOEXEC);
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    close(fd);
    return {};
  }
  return Map(fd, bytes);
}

HostMemory HostMemory::Open(int64_t pid, int64_t handle, size_t bytes) {
  const std::string path = StrCat("/proc/", pid, "/fd/", handle);
  return Map(open(path.c_str(), O_RDWR | O_CLOEXEC), bytes);
}

#else

HostMemory HostMemory::Create(size_t) { return {}; }
HostMemory HostMemory::Open(int64_t, int64_t, size_t) { return {}; }

#endif

HostMemory::HostMemory(HostMemory&& other) noexcept { *this = std::move(other); }

HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

HostMemory::~HostMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
  if (fd_ >= 0) close(fd_);
}

}  // namespace infer
