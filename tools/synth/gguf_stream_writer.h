// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph/dtype.h"
#include "tools/synth/gguf_entry.h"

namespace infer {

struct GgufTensor {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<uint64_t> dims;  // in GGUF's order: columns first
};

// Writes a GGUF v3 file without ever holding it: header and index first, then the bytes of the
// tensors in order, in pieces of any size. Until Finish() succeeds the bytes are in a file of
// another name beside `path`, which the destructor removes; so a reader of `path` sees the old file
// or the whole new one. Errors of the file system are kFailedPrecondition.
//
//   ASSIGN_OR_RETURN(auto writer, GgufStreamWriter::Create(path, entries, tensors));
//   for (...) RETURN_IF_ERROR(writer->Append(chunk));
//   return writer->Finish();
class GgufStreamWriter {
 public:
  static constexpr uint64_t kAlignmentBytes = 32;  // GGUF's default

  // Refuses duplicate names, dimensions that are not whole blocks and sizes that do not fit in 64
  // bits with kInvalidArgument, before any file exists.
  static absl::StatusOr<std::unique_ptr<GgufStreamWriter>> Create(
      std::string path, std::span<const GgufEntry> entries, std::span<const GgufTensor> tensors);
  ~GgufStreamWriter();
  GgufStreamWriter(const GgufStreamWriter&) = delete;
  GgufStreamWriter& operator=(const GgufStreamWriter&) = delete;

  // Appends bytes to the current tensor, at most as many as it still lacks. When a tensor is
  // complete, its padding is written and the next one becomes current.
  absl::Status Append(std::span<const std::byte> bytes);
  // Flushes to disk and renames the file to its final name. Returns an error if a tensor is
  // incomplete.
  absl::Status Finish();

  uint64_t file_bytes() const { return file_bytes_; }
  uint64_t written_bytes() const { return written_bytes_; }

 private:
  GgufStreamWriter(std::string path, std::vector<uint64_t> tensor_bytes)
      : path_(std::move(path)), tensor_bytes_(std::move(tensor_bytes)) {}

  absl::Status Open();
  absl::Status Write(std::span<const std::byte> bytes);
  absl::Status Pad();

  std::string path_;
  std::string temporary_path_;  // empty if there is no such file
  int descriptor_ = -1;
  std::vector<uint64_t> tensor_bytes_;
  size_t tensor_ = 0;            // current
  uint64_t tensor_written_ = 0;  // bytes of the current tensor
  uint64_t file_bytes_ = 0;      // of the finished file
  uint64_t written_bytes_ = 0;   // so far, header and padding included
};

}  // namespace infer
