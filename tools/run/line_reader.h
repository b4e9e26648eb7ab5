// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace infer {

// Lines of a terminal or pipe, one by one as they come. Unlike std::getline, waiting ends when
// `stop` is set: a signal that arrives just before the read, or in another thread, would not
// interrupt it, so the descriptor is watched for a moment at a time.
class LineReader {
 public:
  // `stop` must outlive it.
  LineReader(int fd, uint64_t limit_bytes, const std::atomic<bool>* stop)
      : fd_(fd), limit_bytes_(limit_bytes), stop_(stop) {}

  // The next line without its newline, nullopt at the end. A last line needs no newline. kCancelled
  // once `stop` is set; kInvalidArgument if it cannot be read or is longer than the limit.
  absl::StatusOr<std::optional<std::string>> Next();

 private:
  absl::Status Fill();

  int fd_;
  uint64_t limit_bytes_;
  const std::atomic<bool>* stop_;
  std::string buffer_;
  bool ended_ = false;
};

}  // namespace infer
