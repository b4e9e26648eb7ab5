// SPDX-License-Identifier: Apache-2.0
#include "runtime/pack_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/base/hash.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/replacement_file.h"

namespace infer {
namespace {

// Bytes per checksum: small enough to give every thread a piece, large enough to be worth
// dispatching.
constexpr uint64_t kReadBytes = 4 << 20;
constexpr uint64_t kWriteBytes = 1 << 20;  // between two looks at the stop flag
constexpr char kMagic[8] = {'I', 'N', 'F', 'E', 'R', 'P', 'C', 'K'};
constexpr uint32_t kVersion = 3;

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t endian;  // 1 in the byte order of the machine that wrote it
  uint64_t layouts;
  uint64_t files;        // 0 if a change of the files might not show
  uint64_t source_hash;  // of the bytes that were packed
  uint64_t bytes;
  uint64_t checksum;         // of the checksums of the pieces
  uint64_t header_checksum;  // of the fields above: Renew writes a header in place
};

uint64_t ChecksumOf(const Header& header) {
  return XXH3_64bits(&header, offsetof(Header, header_checksum));
}

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

// Memory that is read or hashed at once, and its position after the header.
struct FilePiece {
  std::span<std::byte> memory;
  uint64_t offset = 0;
};

std::vector<FilePiece> PiecesOf(const PackCache::Parts& parts) {
  std::vector<FilePiece> pieces;
  uint64_t offset = 0;
  for (std::span<std::byte> part : parts) {
    while (!part.empty()) {
      const uint64_t bytes = std::min<uint64_t>(kReadBytes, part.size());
      pieces.push_back({part.first(bytes), offset});
      part = part.subspan(bytes);
      offset += bytes;
    }
  }
  return pieces;
}

uint64_t BytesOf(const PackCache::Parts& parts) {
  uint64_t bytes = 0;
  for (std::span<std::byte> part : parts) bytes += part.size();
  return bytes;
}

// Applies `sum` to each piece and combines the results into one checksum.
template <class Sum>
absl::StatusOr<uint64_t> Checksum(const std::vector<FilePiece>& pieces, const PieceWork& work,
                                  Sum sum) {
  std::vector<uint64_t> bytes, sums(pieces.size());
  for (const FilePiece& piece : pieces) bytes.push_back(piece.memory.size());
  RETURN_IF_ERROR(RunPieces(bytes, work, [&](int64_t i) { sums[i] = sum(pieces[i]); }));
  Hasher all;
  for (uint64_t one : sums) all.Add(one);
  return all.Finish();
}

absl::Status SystemError(std::string_view what, std::string_view path) {
  return absl::UnavailableError(StrCat(path, ": ", what, ": ", std::strerror(errno)));
}

absl::StatusOr<Header> ReadHeader(int fd, const std::string& path) {
  struct stat info = {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    return absl::DataLossError(StrCat(path, ": not a regular file"));
  }
  Header header;
  if (!ReadAt(fd, std::as_writable_bytes(std::span(&header, 1)), 0) ||
      std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) {
    return absl::DataLossError(StrCat(path, ": not a file of packed weights"));
  }
  if (header.version != kVersion || header.endian != 1) {
    return absl::FailedPreconditionError(StrCat(path, ": was made by another version"));
  }
  if (header.header_checksum != ChecksumOf(header)) {
    return absl::DataLossError(StrCat(path, ": its header does not match its checksum"));
  }
  if (static_cast<uint64_t>(info.st_size) != sizeof(Header) + header.bytes) {
    return absl::DataLossError(
        StrCat(path, ": has ", info.st_size, " bytes, expected ", sizeof(Header) + header.bytes));
  }
  return header;
}

absl::Status CheckKey(const Header& header, const PackCacheKey& key, uint64_t bytes,
                      const std::string& path) {
  if (header.layouts != key.layouts || header.bytes != bytes) {
    return absl::FailedPreconditionError(
        StrCat(path, ": was made for another model, CPU level or version"));
  }
  if (header.files == 0) {
    return absl::AbortedError(StrCat(
        path, ": was made right after the model was written, when a change could go unnoticed"));
  }
  if (header.files == key.files) return absl::OkStatus();
  return absl::AbortedError(StrCat(path, ": the model was changed, copied or moved since"));
}

}  // namespace

absl::Status PackCache::Load(const Parts& parts, const PieceWork& work) const {
  Descriptor file(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    if (errno == ENOENT) return absl::NotFoundError(StrCat(path_, ": no such file"));
    return SystemError("cannot be opened", path_);
  }
  ASSIGN_OR_RETURN(const Header header, ReadHeader(file.get(), path_));
  RETURN_IF_ERROR(CheckKey(header, key_, BytesOf(parts), path_));
  std::atomic<bool> complete = true;
  ASSIGN_OR_RETURN(const uint64_t found,
                   Checksum(PiecesOf(parts), work, [&](const FilePiece& piece) -> uint64_t {
                     if (!ReadAt(file.get(), piece.memory, sizeof(Header) + piece.offset)) {
                       complete = false;
                       return 0;
                     }
                     return XXH3_64bits(piece.memory.data(), piece.memory.size());
                   }));
  if (complete && found == header.checksum) return absl::OkStatus();
  return absl::DataLossError(StrCat(path_, ": its bytes do not match their checksum"));
}

absl::Status PackCache::Store(const Parts& parts, const Source& source,
                              const PieceWork& work) const {
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version = kVersion;
  header.endian = 1;
  header.layouts = key_.layouts;
  header.files = source.settled ? key_.files : 0;
  header.source_hash = source.hash;
  header.bytes = BytesOf(parts);
  const PieceWork silent = {.parallel = work.parallel, .stop = work.stop};
  ASSIGN_OR_RETURN(header.checksum,
                   Checksum(PiecesOf(parts), silent, [](const FilePiece& piece) -> uint64_t {
                     return XXH3_64bits(piece.memory.data(), piece.memory.size());
                   }));
  header.header_checksum = ChecksumOf(header);
  ASSIGN_OR_RETURN(ReplacementFile file, ReplacementFile::Create(path_));
  RETURN_IF_ERROR(file.Write(std::as_bytes(std::span(&header, 1))));
  for (std::span<const std::byte> part : parts) {
    while (!part.empty()) {
      if (work.stopped()) return absl::CancelledError("stopped while storing packed weights");
      const std::span<const std::byte> some = part.first(std::min(part.size(), kWriteBytes));
      RETURN_IF_ERROR(file.Write(some));
      part = part.subspan(some.size());
    }
  }
  return file.Commit();
}

bool PackCache::Renew(const Parts& parts, const Source& source) const {
  Descriptor file(open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return false;
  absl::StatusOr<Header> header = ReadHeader(file.get(), path_);
  if (!header.ok() || header->layouts != key_.layouts || header->bytes != BytesOf(parts) ||
      header->source_hash != source.hash) {
    return false;
  }
  header->files = source.settled ? key_.files : 0;
  header->header_checksum = ChecksumOf(*header);
  return pwrite(file.get(), &*header, sizeof(Header), 0) == sizeof(Header);
}

}  // namespace infer
