// SPDX-License-Identifier: Apache-2.0
#include "runtime/pack_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/hash.h"
#include "ir/status_macros.h"
#include "ir/strings.h"

namespace infer {
namespace {

// Bytes that share a checksum: enough pieces for every thread, each worth handing out.
constexpr uint64_t kPieceBytes = 16 << 20;
constexpr char kMagic[8] = {'I', 'N', 'F', 'E', 'R', 'P', 'C', 'K'};
constexpr uint32_t kVersion = 1;

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t endian;  // 1 as the machine that wrote it stores it
  uint64_t key;
  uint64_t bytes;
  uint64_t checksum;  // of the checksums of the pieces
};

// Closes when it dies.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  // What a write has left for later shows when closing.
  bool Close() { return close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

bool ReadAt(int fd, std::span<std::byte> out, uint64_t offset) {
  while (!out.empty()) {
    const ssize_t got = pread(fd, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out = out.subspan(static_cast<size_t>(got));
    offset += static_cast<uint64_t>(got);
  }
  return true;
}

bool WriteAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return true;
}

// For each piece of the memory, what `piece` makes of it; then one checksum of them all.
template <class Piece>
uint64_t Checksum(std::span<std::byte const> memory, const ParallelFor& parallel, Piece piece) {
  const int64_t pieces = static_cast<int64_t>((memory.size() + kPieceBytes - 1) / kPieceBytes);
  std::vector<uint64_t> sums(pieces);
  parallel(pieces, [&](int64_t i) {
    const uint64_t begin = i * kPieceBytes;
    sums[i] = piece(begin, std::min<uint64_t>(kPieceBytes, memory.size() - begin));
  });
  Hasher all;
  for (uint64_t sum : sums) all.Add(sum);
  return all.Finish();
}

absl::Status SystemError(std::string_view what, std::string_view path) {
  return absl::UnavailableError(StrCat(path, ": ", what, ": ", std::strerror(errno)));
}

}  // namespace

absl::Status PackCache::Load(std::span<std::byte> memory, const ParallelFor& parallel) const {
  Descriptor file(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    if (errno == ENOENT) return absl::NotFoundError(StrCat(path_, ": no such file"));
    return SystemError("cannot be opened", path_);
  }
  struct stat info = {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return absl::DataLossError(StrCat(path_, ": is no regular file"));
  }
  Header header;
  if (!ReadAt(file.get(), std::as_writable_bytes(std::span(&header, 1)), 0) ||
      std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) {
    return absl::DataLossError(StrCat(path_, ": is no file of packed weights"));
  }
  if (header.version != kVersion || header.endian != 1 || header.key != key_ ||
      header.bytes != memory.size()) {
    return absl::FailedPreconditionError(
        StrCat(path_, ": was made for another model, CPU level or version"));
  }
  if (static_cast<uint64_t>(info.st_size) != sizeof(Header) + header.bytes) {
    return absl::DataLossError(
        StrCat(path_, ": has ", info.st_size, " bytes, expected ", sizeof(Header) + header.bytes));
  }
  const uint64_t found = Checksum(memory, parallel, [&](uint64_t begin, uint64_t bytes) {
    const std::span<std::byte> piece = memory.subspan(begin, bytes);
    if (!ReadAt(file.get(), piece, sizeof(Header) + begin)) return ~uint64_t{0};
    return uint64_t{XXH3_64bits(piece.data(), piece.size())};
  });
  if (found == header.checksum) return absl::OkStatus();
  return absl::DataLossError(StrCat(path_, ": its bytes do not match their checksum"));
}

absl::Status PackCache::Store(std::span<const std::byte> memory,
                              const ParallelFor& parallel) const {
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version = kVersion;
  header.endian = 1;
  header.key = key_;
  header.bytes = memory.size();
  header.checksum = Checksum(memory, parallel, [&](uint64_t begin, uint64_t bytes) {
    return uint64_t{XXH3_64bits(memory.data() + begin, bytes)};
  });
  const std::string temporary = StrCat(path_, ".", getpid(), ".tmp");
  Descriptor file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (file.get() < 0) return SystemError("cannot be written", temporary);
  const bool written = WriteAll(file.get(), std::as_bytes(std::span(&header, 1))) &&
                       WriteAll(file.get(), memory) && file.Close() &&
                       std::rename(temporary.c_str(), path_.c_str()) == 0;
  if (written) return absl::OkStatus();
  absl::Status error = SystemError("cannot be written", path_);
  unlink(temporary.c_str());
  return error;
}

}  // namespace infer
