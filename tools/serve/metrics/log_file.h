// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace infer::metrics {

// A file that lines are appended to, or stderr. Not thread-safe.
class LogFile {
 public:
  // "-" is stderr.
  static absl::StatusOr<LogFile> Open(const std::string& path);
  LogFile(LogFile&& other) noexcept;
  LogFile& operator=(LogFile&&) = delete;
  ~LogFile();

  // Opens the path again; keeps the old file if that fails. Nothing happens for stderr.
  absl::Status Reopen();
  // Returns whether the whole line was written. Waits while a pipe is full; once `stop` is true,
  // all waits together last at most a second.
  bool Write(std::string_view line, const std::atomic<bool>& stop);

 private:
  LogFile(std::string path, int fd);
  bool WaitUntilWritable(const std::atomic<bool>& stop);

  std::string path_;
  int fd_;
  std::optional<std::chrono::steady_clock::time_point> give_up_;
};

}  // namespace infer::metrics
