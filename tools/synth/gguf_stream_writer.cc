// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/gguf_stream_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "ir/base/checked_math.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

absl::Status FileError(std::string_view path, std::string_view what, int error) {
  return absl::FailedPreconditionError(
      StrCat(path, ": ", what, ": ", std::string_view(std::strerror(error)),
             error == ENOSPC ? "; free some space or write to another disk" : ""));
}

// Returns the bytes of a tensor, or an error that names it.
absl::StatusOr<uint64_t> TensorBytes(const GgufTensor& tensor) {
  const DTypeInfo& info = Info(tensor.dtype);
  if (tensor.dims.empty() || tensor.dims[0] % info.block_elements != 0) {
    return absl::InvalidArgumentError(StrCat(
        tensor.name, ": ", tensor.dims.empty() ? 0 : tensor.dims[0],
        " columns are not a multiple of ", info.block_elements, ", the block of ", info.name));
  }
  std::optional<uint64_t> elements = 1;
  for (uint64_t dim : tensor.dims) {
    if (elements) elements = CheckedMul(*elements, dim);
  }
  std::optional<uint64_t> bytes = elements ? BytesFor(tensor.dtype, *elements) : std::nullopt;
  if (!bytes) {
    return absl::InvalidArgumentError(
        StrCat(tensor.name, ": its bytes do not fit in 64 bits; choose smaller dimensions"));
  }
  return *bytes;
}

uint64_t PaddingAfter(uint64_t bytes) { return -bytes % GgufStreamWriter::kAlignmentBytes; }

// Encodes header, metadata and index up to their padding; adds the data bytes to *file_bytes.
absl::StatusOr<std::string> EncodeHeader(std::span<const GgufEntry> entries,
                                         std::span<const GgufTensor> tensors,
                                         std::vector<uint64_t>* tensor_bytes,
                                         uint64_t* data_bytes) {
  std::string header = "GGUF";
  AppendUint32(&header, 3);
  AppendUint64(&header, tensors.size());
  AppendUint64(&header, entries.size());
  std::set<std::string_view> names;
  for (const GgufEntry& entry : entries) {
    if (!names.insert(entry.key).second) {
      return absl::InvalidArgumentError(StrCat(entry.key, ": two metadata entries have this name"));
    }
    AppendGgufString(&header, entry.key);
    AppendUint32(&header, entry.type);
    header += entry.payload;
  }
  std::optional<uint64_t> offset = 0;
  for (const GgufTensor& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      return absl::InvalidArgumentError(StrCat(tensor.name, ": two tensors have this name"));
    }
    ASSIGN_OR_RETURN(uint64_t bytes, TensorBytes(tensor));
    AppendGgufString(&header, tensor.name);
    AppendUint32(&header, static_cast<uint32_t>(tensor.dims.size()));
    for (uint64_t dim : tensor.dims) AppendUint64(&header, dim);
    AppendUint32(&header, Info(tensor.dtype).gguf_id);
    AppendUint64(&header, *offset);
    tensor_bytes->push_back(bytes);
    offset = CheckedAdd(*offset, bytes);
    if (offset) offset = CheckedAlignUp(*offset, GgufStreamWriter::kAlignmentBytes);
    // Half of the range stays free for the header and for off_t, which is signed.
    if (!offset || *offset > UINT64_MAX / 4) {
      return absl::InvalidArgumentError(
          StrCat(tensor.name, ": the file would not fit in 64 bits; choose smaller dimensions"));
    }
  }
  *data_bytes = *offset;
  return header;
}

}  // namespace

absl::StatusOr<std::unique_ptr<GgufStreamWriter>> GgufStreamWriter::Create(
    std::string path, std::span<const GgufEntry> entries, std::span<const GgufTensor> tensors) {
  std::vector<uint64_t> tensor_bytes;
  uint64_t data_bytes = 0;
  ASSIGN_OR_RETURN(std::string header, EncodeHeader(entries, tensors, &tensor_bytes, &data_bytes));
  header.append(PaddingAfter(header.size()), '\0');
  auto writer = std::unique_ptr<GgufStreamWriter>(
      new GgufStreamWriter(std::move(path), std::move(tensor_bytes)));
  writer->file_bytes_ = header.size() + data_bytes;
  RETURN_IF_ERROR(writer->Open());
  RETURN_IF_ERROR(writer->Write(std::as_bytes(std::span(header))));
  return writer;
}

GgufStreamWriter::~GgufStreamWriter() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
}

absl::Status GgufStreamWriter::Open() {
  // Renaming onto a device or a pipe would replace it with a regular file.
  struct stat existing;
  if (stat(path_.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
    return absl::FailedPreconditionError(
        StrCat(path_, ": exists and is not a regular file; choose another output path"));
  }
  // A crashed run may have left a file behind, and pids are reused: try a few names.
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_path_ = StrCat(path_, ".partial-", getpid(), "-", attempt);
    descriptor_ = open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) return absl::OkStatus();
    if (errno != EEXIST) break;
  }
  const int error = errno;
  temporary_path_.clear();
  return FileError(path_, "cannot create a file there", error);
}

absl::Status GgufStreamWriter::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      return FileError(path_, StrCat("cannot write byte ", written_bytes_, " of ", file_bytes_),
                       error);
    }
    written_bytes_ += static_cast<uint64_t>(count);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

absl::Status GgufStreamWriter::Pad() {
  constexpr std::array<std::byte, kAlignmentBytes> kZeros = {};
  return Write(std::span(kZeros).first(PaddingAfter(written_bytes_)));
}

absl::Status GgufStreamWriter::Append(std::span<const std::byte> bytes) {
  if (tensor_ == tensor_bytes_.size() || bytes.size() > tensor_bytes_[tensor_] - tensor_written_) {
    return absl::InternalError(
        StrCat(path_, ": tensor ", tensor_, " was given more bytes than its size"));
  }
  RETURN_IF_ERROR(Write(bytes));
  tensor_written_ += bytes.size();
  if (tensor_written_ < tensor_bytes_[tensor_]) return absl::OkStatus();
  ++tensor_;
  tensor_written_ = 0;
  return Pad();
}

absl::Status GgufStreamWriter::Finish() {
  if (tensor_ != tensor_bytes_.size()) {
    return absl::InternalError(StrCat(path_, ": tensor ", tensor_, " is incomplete"));
  }
  if (fsync(descriptor_) != 0) return FileError(path_, "cannot flush", errno);
  // Network file systems report a full disk only here.
  if (close(std::exchange(descriptor_, -1)) != 0) return FileError(path_, "cannot close", errno);
  if (rename(temporary_path_.c_str(), path_.c_str()) != 0) {
    return FileError(path_, "cannot rename the finished file to this name", errno);
  }
  temporary_path_.clear();
  return absl::OkStatus();
}

}  // namespace infer
