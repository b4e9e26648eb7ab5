// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace infer {

// A file being written that replaces the one at `path` once it is complete; until then it is not
// visible there. Without Commit nothing stays behind: where the file system allows, the file has
// no name yet (O_TMPFILE), so that not even a killed process leaves one. Elsewhere it has a random
// name beside `path`, locked while it is written; Create removes such files that are not locked.
class ReplacementFile {
 public:
  static absl::StatusOr<ReplacementFile> Create(const std::string& path);
  // Always with a name, as on file systems without O_TMPFILE.
  static absl::StatusOr<ReplacementFile> CreateNamed(const std::string& path);

  ReplacementFile(ReplacementFile&& other) noexcept;
  ReplacementFile& operator=(ReplacementFile&&) = delete;
  ~ReplacementFile();

  absl::Status Write(std::span<const std::byte> bytes);
  // Puts the file in place. Nothing may be written afterwards.
  absl::Status Commit();

 private:
  explicit ReplacementFile(std::string path) : path_(std::move(path)) {}
  absl::Status LinkAs(const std::string& name);
  absl::Status Error(const char* what) const;

  std::string path_;
  std::string temporary_;  // empty while the file has no name
  int descriptor_ = -1;
};

}  // namespace infer
