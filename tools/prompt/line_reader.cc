// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/line_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// The longest delay until Ctrl-C is noticed: imperceptible, and ten wake-ups per second cost
// nothing.
constexpr int kPollMs = 100;

// Not a duplicate of `fd`, which other processes would share with all its flags. Returns -1 if
// `fd` is no terminal or cannot be opened by name.
int OpenTerminal(int fd) {
  char name[256];
  if (isatty(fd) == 0 || ttyname_r(fd, name, sizeof(name)) != 0) return -1;
  return open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

}  // namespace

LineReader::LineReader(int fd, uint64_t limit_bytes, const std::atomic<bool>* stop)
    : terminal_fd_(OpenTerminal(fd)),
      fd_(terminal_fd_ < 0 ? fd : terminal_fd_),
      limit_bytes_(limit_bytes),
      stop_(stop) {}

LineReader::~LineReader() {
  if (terminal_fd_ >= 0) close(terminal_fd_);
}

// Waits for bytes and appends them to the buffer, or records the end.
absl::Status LineReader::Fill() {
  for (;;) {
    if (*stop_) return absl::CancelledError("interrupted while waiting for a line");
    pollfd watched = {fd_, POLLIN, 0};
    int ready = poll(&watched, 1, kPollMs);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    char chunk[4096];
    ssize_t count = read(fd_, chunk, sizeof(chunk));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) {
      return absl::InvalidArgumentError(
          StrCat("stdin: cannot be read: ", std::generic_category().message(errno)));
    }
    buffer_.append(chunk, static_cast<size_t>(count));
    ended_ = count == 0;
    return absl::OkStatus();
  }
}

absl::StatusOr<std::optional<std::string>> LineReader::Next() {
  size_t searched = 0;
  for (;;) {
    size_t newline = buffer_.find('\n', searched);
    if (newline != std::string::npos) {
      std::string line = buffer_.substr(0, newline);
      buffer_.erase(0, newline + 1);
      return line;
    }
    if (ended_) {
      if (buffer_.empty()) return std::nullopt;
      return std::exchange(buffer_, {});
    }
    searched = buffer_.size();
    if (searched > limit_bytes_) {
      return absl::InvalidArgumentError(
          StrCat("stdin: a line holds more than the ", limit_bytes_, " bytes allowed here"));
    }
    RETURN_IF_ERROR(Fill());
  }
}

}  // namespace infer
