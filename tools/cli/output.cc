// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "ir/base/status_macros.h"
#include "tools/cli/text_columns.h"
#include "tools/cli/write_all.h"

namespace infer {

absl::Status ProductOutput::Write(std::string_view bytes) {
  RETURN_IF_ERROR(status_);
  if (!bytes.empty()) last_ = bytes.back();
  if (buffer_.size() + bytes.size() > kBufferBytes) {
    RETURN_IF_ERROR(Flush());
    if (bytes.size() > kBufferBytes) return status_ = WriteAll(fd_, bytes, "stdout");
  }
  buffer_ += bytes;
  return absl::OkStatus();
}

absl::Status ProductOutput::Stream(std::string_view bytes) {
  RETURN_IF_ERROR(Write(bytes));
  return Flush();
}

absl::Status ProductOutput::Flush() {
  RETURN_IF_ERROR(status_);
  status_ = WriteAll(fd_, buffer_, "stdout");
  buffer_.clear();
  return status_;
}

absl::Status ProductOutput::Finish() {
  return last_ != '\n' && is_terminal() ? Stream("\n") : Flush();
}

bool ProductOutput::is_terminal() const { return isatty(fd_) == 1; }
size_t ProductOutput::columns() const { return TextColumns(fd_); }

void IgnoreWriteSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void ReserveStandardDescriptors() {
  // open() returns the lowest free number, so the order 0, 1, 2 fills exactly the closed ones.
  // stdout is opened for reading, so that each write to it fails with EBADF, as on the closed
  // descriptor.
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
      if (open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd) return;
    }
  }
}

}  // namespace infer
