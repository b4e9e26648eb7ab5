// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/cli/output.h"
#include "tools/cli/temp_registry.h"

namespace infer {

// The file behind `-o`: either complete or absent. Bytes go to a temporary file in the same
// directory, which Commit syncs and renames over the target; without Commit, and on a signal, it is
// removed. Two processes that write the same target both succeed, and the file is one of the two,
// complete. `-` is stdout. A target that is not a regular file (a device, a pipe) is written in
// place; a symbolic link keeps its target; an existing file keeps its permissions.
class AtomicFile {
 public:
  // `product` receives what is written to `-`; it must outlive the file.
  static absl::StatusOr<std::unique_ptr<AtomicFile>> Create(std::string_view path,
                                                            ProductOutput* product);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Buffers small writes; large ones are passed straight through.
  absl::Status Write(std::string_view bytes);
  // Completes the file: nothing can be written afterwards.
  absl::Status Commit();

 private:
  AtomicFile(std::string path, ProductOutput* product)
      : path_(std::move(path)), product_(product) {}
  absl::Status Open();
  absl::Status OpenTemp(const std::string& target);
  absl::Status Flush();
  absl::Status SyncAndRename();

  static constexpr size_t kBufferBytes = 1 << 20;

  std::string path_;        // as the user wrote it, for messages
  ProductOutput* product_;  // nullptr unless the path is "-"
  int fd_ = -1;
  std::string target_;  // what rename replaces; empty when written in place
  std::string temp_path_;
  std::optional<TempRegistration> registration_;
  std::string buffer_;
};

}  // namespace infer
