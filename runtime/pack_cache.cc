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

#include "ir/base/hash.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// Bytes per checksum: small enough to give every thread a piece, large enough to be worth
// dispatching.
constexpr uint64_t kPieceBytes = 16 << 20;
constexpr char kMagic[8] = {'I', 'N', 'F', 'E', 'R', 'P', 'C', 'K'};
constexpr uint32_t kVersion = 2;

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t endian;  // 1 in the byte order of the machine that wrote it
  uint64_t key;
  uint64_t bytes;
  uint64_t checksum;  // of the checksums of the pieces
};

// Closes the file descriptor on destruction.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  // Reports write errors that only show when closing.
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

// Memory that is read or hashed at once, and its position after the header.
struct Piece {
  std::span<std::byte> memory;
  uint64_t offset = 0;
};

std::vector<Piece> PiecesOf(const PackCache::Parts& parts) {
  std::vector<Piece> pieces;
  uint64_t offset = 0;
  for (std::span<std::byte> part : parts) {
    while (!part.empty()) {
      const uint64_t bytes = std::min<uint64_t>(kPieceBytes, part.size());
      pieces.push_back({part.first(bytes), offset});
      part = part.subspan(bytes);
      offset += bytes;
    }
  }
  return pieces;
}

uint64_t BytesOf(const std::vector<Piece>& pieces) {
  return pieces.empty() ? 0 : pieces.back().offset + pieces.back().memory.size();
}

// Applies `sum` to each piece and combines the results into one checksum.
template <class Sum>
uint64_t Checksum(const std::vector<Piece>& pieces, const ParallelFor& parallel, Sum sum) {
  std::vector<uint64_t> sums(pieces.size());
  parallel(std::ssize(pieces), [&](int64_t i) { sums[i] = sum(pieces[i]); });
  Hasher all;
  for (uint64_t one : sums) all.Add(one);
  return all.Finish();
}

absl::Status SystemError(std::string_view what, std::string_view path) {
  return absl::UnavailableError(StrCat(path, ": ", what, ": ", std::strerror(errno)));
}

}  // namespace

absl::Status PackCache::Load(const Parts& parts, const ParallelFor& parallel) const {
  const std::vector<Piece> pieces = PiecesOf(parts);
  Descriptor file(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    if (errno == ENOENT) return absl::NotFoundError(StrCat(path_, ": no such file"));
    return SystemError("cannot be opened", path_);
  }
  struct stat info = {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return absl::DataLossError(StrCat(path_, ": not a regular file"));
  }
  Header header;
  if (!ReadAt(file.get(), std::as_writable_bytes(std::span(&header, 1)), 0) ||
      std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) {
    return absl::DataLossError(StrCat(path_, ": not a file of packed weights"));
  }
  if (header.version != kVersion || header.endian != 1 || header.key != key_ ||
      header.bytes != BytesOf(pieces)) {
    return absl::FailedPreconditionError(
        StrCat(path_, ": was made for another model, CPU level or version"));
  }
  if (static_cast<uint64_t>(info.st_size) != sizeof(Header) + header.bytes) {
    return absl::DataLossError(
        StrCat(path_, ": has ", info.st_size, " bytes, expected ", sizeof(Header) + header.bytes));
  }
  const uint64_t found = Checksum(pieces, parallel, [&](const Piece& piece) {
    if (!ReadAt(file.get(), piece.memory, sizeof(Header) + piece.offset)) return ~uint64_t{0};
    return uint64_t{XXH3_64bits(piece.memory.data(), piece.memory.size())};
  });
  if (found == header.checksum) return absl::OkStatus();
  return absl::DataLossError(StrCat(path_, ": its bytes do not match their checksum"));
}

absl::Status PackCache::Store(const Parts& parts, const ParallelFor& parallel) const {
  const std::vector<Piece> pieces = PiecesOf(parts);
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version = kVersion;
  header.endian = 1;
  header.key = key_;
  header.bytes = BytesOf(pieces);
  header.checksum = Checksum(pieces, parallel, [](const Piece& piece) {
    return uint64_t{XXH3_64bits(piece.memory.data(), piece.memory.size())};
  });
  const std::string temporary = StrCat(path_, ".", getpid(), ".tmp");
  Descriptor file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (file.get() < 0) return SystemError("cannot be written", temporary);
  bool written = WriteAll(file.get(), std::as_bytes(std::span(&header, 1)));
  for (const Piece& piece : pieces) written = written && WriteAll(file.get(), piece.memory);
  written = written && file.Close() && std::rename(temporary.c_str(), path_.c_str()) == 0;
  if (written) return absl::OkStatus();
  absl::Status error = SystemError("cannot be written", path_);
  unlink(temporary.c_str());
  return error;
}

}  // namespace infer
