// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace infer {

// The product of a tool: stdout. Everything else goes to the Console. Every write is checked; the
// first failure (reader gone, disk full, stdout closed) is kept and handed out by each later call.
// Not thread-safe: a tool has one product. RunTool flushes it and reports what failed.
class ProductOutput {
 public:
  explicit ProductOutput(int fd) : fd_(fd) {}
  ProductOutput(const ProductOutput&) = delete;
  ProductOutput& operator=(const ProductOutput&) = delete;

  // Buffered. An error may show only at the next Flush.
  absl::Status Write(std::string_view bytes);
  // Write and Flush: a token that the reader sees at once.
  absl::Status Stream(std::string_view bytes);
  absl::Status Flush();

  bool is_terminal() const;

 private:
  static constexpr size_t kBufferBytes = 64 * 1024;  // a pipe's capacity on Linux

  int fd_;
  std::string buffer_;
  absl::Status status_;
};

// A write after the reader has gone ends in EPIPE, which is reported, instead of a silent death.
void IgnoreSigpipe();

// Gives closed standard descriptors a harmless one, so that no file opened later takes their
// number and receives what was meant for stdout; writes to a closed stdout still fail.
void ReserveStandardDescriptors();

}  // namespace infer
