// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace infer {

// The product of a tool: stdout. Everything else goes to the Console. Every write is checked; the
// first failure (reader gone, disk full, stdout closed) is kept and returned by each later call.
// Not thread-safe: a tool has one product. RunTool flushes it and reports failures.
class ProductOutput {
 public:
  explicit ProductOutput(int fd) : fd_(fd) {}
  ProductOutput(const ProductOutput&) = delete;
  ProductOutput& operator=(const ProductOutput&) = delete;

  // Buffers. An error may appear only at the next Flush.
  absl::Status Write(std::string_view bytes);
  // Writes and flushes, so that the reader sees a token at once.
  absl::Status Stream(std::string_view bytes);
  absl::Status Flush();
  // Flushes all of it. A text that is shown in a terminal and does not end with a newline gets one,
  // so that the shell's prompt does not follow it; a file or pipe gets the bytes as they are.
  absl::Status Finish();

  bool is_terminal() const;
  size_t columns() const;  // for text; see text_columns.h

 private:
  static constexpr size_t kBufferBytes = 64 * 1024;  // a pipe's capacity on Linux

  int fd_;
  std::string buffer_;
  char last_ = '\n';  // of what was written
  absl::Status status_;
};

// Makes a write after the reader has gone fail with EPIPE, and one beyond the limit on file sizes
// with EFBIG, instead of killing the process, so that temporary files are removed. RunTool ends
// with the exit code that SIGPIPE would have caused.
void IgnoreWriteSignals();

// Replaces closed standard descriptors with a harmless one, so that no file opened later gets their
// number and receives what was meant for stdout; writes to a closed stdout still fail.
void ReserveStandardDescriptors();

}  // namespace infer
