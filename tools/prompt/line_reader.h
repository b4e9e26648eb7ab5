// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace infer {

// Reads lines from a terminal or pipe as they arrive. Unlike std::getline, it stops waiting when
// `stop` is set: a signal that arrives just before the read, or in another thread, would not
// interrupt the read, so the descriptor is polled with a short timeout. A terminal is read through
// a descriptor of its own that never waits: Ctrl-C discards what poll has seen, and a read would
// then wait for the next line.
class LineReader {
 public:
  // `stop` must outlive it.
  LineReader(int fd, uint64_t limit_bytes, const std::atomic<bool>* stop);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Returns the next line without its newline, or nullopt at the end. A last line needs no newline.
  // Returns kCancelled once `stop` is set, kInvalidArgument if the line cannot be read or is longer
  // than the limit.
  absl::StatusOr<std::optional<std::string>> Next();

 private:
  absl::Status Fill();

  const int terminal_fd_;  // -1 if it reads no terminal
  const int fd_;
  uint64_t limit_bytes_;
  const std::atomic<bool>* stop_;
  std::string buffer_;
  bool ended_ = false;
};

}  // namespace infer
