// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/cli/flags.h"

namespace infer {

// Returns $XDG_STATE_HOME/infer/history, or ~/.local/state/infer/history; empty if neither
// variable names a folder.
std::string HistoryPath(const EnvLookup& env);

// The texts entered at prompts, kept for later runs: a file that only its owner can read, with one
// JSON string a line. Several processes may append to it at the same time.
class HistoryFile {
 public:
  static constexpr size_t kMaxEntries = 1000;
  static constexpr size_t kMaxEntryBytes = 64 << 10;  // longer texts are not kept
  static constexpr size_t kMaxBytes = 4 << 20;        // of all entries

  explicit HistoryFile(std::string path) : path_(std::move(path)) {}

  // Returns the newest entries within the limits, oldest first, and shortens a file that has grown
  // to twice as much. A file that is missing holds none; lines that are not JSON strings are
  // skipped.
  absl::StatusOr<std::vector<std::string>> Load();
  absl::Status Append(std::string_view text);

  const std::string& path() const { return path_; }

 private:
  absl::Status Replace(const std::vector<std::string>& entries);

  std::string path_;
};

}  // namespace infer
