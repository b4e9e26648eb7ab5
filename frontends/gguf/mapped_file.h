// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/gguf/sigbus_guard.h"
#include "ir/program/file_stamp.h"

namespace infer {

// A regular file mapped read-only. Keeps its descriptor open so that its length can be checked
// again. Reading bytes() never raises a signal; Check() tells whether they are the file's contents.
class MappedFile {
 public:
  // Returns kNotFound if there is no such file and kInvalidArgument if it is not a readable regular
  // file. An empty file maps to no bytes.
  static absl::StatusOr<MappedFile> Open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile() { Close(); }

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  // Frees the memory of the whole pages in a part of bytes(); reading it again reads the file
  // again.
  static void Release(std::span<const std::byte> part);

  // Starts reading a part of bytes() that is needed soon, and does not wait for it.
  static void Prefetch(std::span<const std::byte> part);

  // Returns what the system records about the mapped file now, whatever its path names since; all
  // zeros if the system does not say.
  FileStamp Stamp() const;

  // Returns kDataLoss once the file's length differs from the mapped one or a page could not be
  // read.
  absl::Status Check() const;

 private:
  MappedFile() = default;
  absl::Status Map(uint64_t length_bytes);
  void Close();

  std::string path_;
  int descriptor_ = -1;
  std::span<const std::byte> bytes_;
  SigbusGuard guard_;
};

}  // namespace infer
