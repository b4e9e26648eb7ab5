// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "frontends/gguf/printable.h"
#include "ir/base/checked_math.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// Nothing is written, so both kinds behave the same here. But macOS reliably makes a GPU buffer of
// a file's pages without a copy only if they are shared: pages of a private mapping are copied on
// write, and the buffer requests writable memory.
#if defined(__APPLE__)
constexpr int kMapKind = MAP_SHARED;
#else
constexpr int kMapKind = MAP_PRIVATE;
#endif

absl::Status OpenError(const std::string& path, int error) {
  const std::string file = Printable(path);
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(StrCat(file, ": no such file; check the path"));
    case EACCES:
    case EPERM:
      return absl::InvalidArgumentError(
          StrCat(file, ": permission denied, expected a readable file; check its owner and mode"));
    case ENAMETOOLONG:
    case ELOOP:
    case ENXIO:
      return absl::InvalidArgumentError(
          StrCat(file, ": cannot be opened: ", std::strerror(error), "; check the path"));
    default:
      return absl::InternalError(StrCat(file, ": cannot be opened: ", std::strerror(error)));
  }
}

int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

absl::Status RefuseUnlessRegular(const std::string& path, mode_t mode) {
  if (S_ISREG(mode)) return absl::OkStatus();
  if (S_ISDIR(mode)) {
    return absl::InvalidArgumentError(
        StrCat(Printable(path), ": is a directory, expected a GGUF file; name the file inside it"));
  }
  return absl::InvalidArgumentError(StrCat(
      Printable(path), ": is a pipe or device, expected a regular file; copy it to a file first"));
}

}  // namespace

absl::StatusOr<MappedFile> MappedFile::Open(const std::string& path) {
  MappedFile file;
  file.path_ = path;
  // Non-blocking: opening a pipe without a writer would wait forever.
  file.descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.descriptor_ < 0) return OpenError(path, errno);
  struct stat info = {};
  if (fstat(file.descriptor_, &info) != 0) return OpenError(path, errno);
  RETURN_IF_ERROR(RefuseUnlessRegular(path, info.st_mode));
  const std::optional<size_t> length = CheckedCast<size_t>(info.st_size);
  if (!length) return absl::InvalidArgumentError(StrCat(Printable(path), ": is too large to map"));
  RETURN_IF_ERROR(file.Map(*length));
  return file;
}

absl::Status MappedFile::Map(uint64_t length_bytes) {
  if (length_bytes == 0) return absl::OkStatus();
  void* begin = mmap(nullptr, length_bytes, PROT_READ, kMapKind, descriptor_, 0);
  if (begin == MAP_FAILED) {
    return absl::ResourceExhaustedError(StrCat(Printable(path_), ": ", length_bytes,
                                               " bytes cannot be mapped: ", std::strerror(errno),
                                               "; check the limit on address space (ulimit -v)"));
  }
  bytes_ = {static_cast<const std::byte*>(begin), length_bytes};
  ASSIGN_OR_RETURN(guard_, SigbusGuard::Watch(begin, length_bytes));
  return absl::OkStatus();
}

void MappedFile::Release(std::span<const std::byte> part) {
  const uintptr_t page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t address = reinterpret_cast<uintptr_t>(part.data());
  const uintptr_t begin = (address + page_bytes - 1) / page_bytes * page_bytes;
  const uintptr_t end = (address + part.size()) / page_bytes * page_bytes;
  if (begin >= end) return;
  // Only a hint: if the system ignores it, the pages stay.
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

void MappedFile::Prefetch(std::span<const std::byte> part) {
  if (part.empty()) return;
  const uintptr_t page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t address = reinterpret_cast<uintptr_t>(part.data());
  const uintptr_t begin = address / page_bytes * page_bytes;
  madvise(reinterpret_cast<void*>(begin), address + part.size() - begin, MADV_WILLNEED);
}

FileStamp MappedFile::Stamp() const {
  struct stat info = {};
  if (fstat(descriptor_, &info) != 0) return {};
#if defined(__APPLE__)
  const timespec &modified = info.st_mtimespec, &changed = info.st_ctimespec;
#else
  const timespec &modified = info.st_mtim, &changed = info.st_ctim;
#endif
  return {.bytes = static_cast<uint64_t>(info.st_size),
          .inode = info.st_ino,
          .modified_ns = Nanoseconds(modified),
          .changed_ns = Nanoseconds(changed)};
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_(std::exchange(other.bytes_, {})),
      guard_(std::move(other.guard_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    Close();
    path_ = std::move(other.path_);
    descriptor_ = std::exchange(other.descriptor_, -1);
    bytes_ = std::exchange(other.bytes_, {});
    guard_ = std::move(other.guard_);
  }
  return *this;
}

void MappedFile::Close() {
  guard_.Release();
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  if (descriptor_ >= 0) close(descriptor_);
  bytes_ = {};
  descriptor_ = -1;
}

absl::Status MappedFile::Check() const {
  struct stat info = {};
  if (fstat(descriptor_, &info) != 0) {
    return absl::DataLossError(
        StrCat(Printable(path_), ": its length cannot be determined: ", std::strerror(errno)));
  }
  if (static_cast<uint64_t>(info.st_size) != bytes_.size()) {
    return absl::DataLossError(
        StrCat(Printable(path_), ": has ", info.st_size, " bytes now, but had ", bytes_.size(),
               " when it was opened; results since then are invalid; run again "
               "with a file that nothing writes to"));
  }
  if (guard_.damaged()) {
    return absl::DataLossError(StrCat(Printable(path_),
                                      ": a page of the mapped file could not be read; results "
                                      "since then are invalid; check the disk or run again with a "
                                      "file that nothing writes to"));
  }
  return absl::OkStatus();
}

}  // namespace infer
