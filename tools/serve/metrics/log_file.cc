// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/log_file.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::metrics {
namespace {

using Clock = std::chrono::steady_clock;

// A pipe that poll calls writable takes this much without blocking, and in one piece.
constexpr size_t kPiece = PIPE_BUF;

absl::StatusOr<int> OpenToAppend(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  if (fd >= 0) return fd;
  return absl::InvalidArgumentError(StrCat("cannot open the access log '", path,
                                           "': ", std::strerror(errno),
                                           "; name a file in a folder that can be written to"));
}

}  // namespace

absl::StatusOr<LogFile> LogFile::Open(const std::string& path) {
  if (path == "-") return LogFile(path, STDERR_FILENO);
  ASSIGN_OR_RETURN(const int fd, OpenToAppend(path));
  return LogFile(path, fd);
}

LogFile::LogFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

LogFile::LogFile(LogFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

LogFile::~LogFile() {
  if (fd_ >= 0 && fd_ != STDERR_FILENO) close(fd_);
}

absl::Status LogFile::Reopen() {
  if (fd_ == STDERR_FILENO) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int fd, OpenToAppend(path_));
  close(std::exchange(fd_, fd));
  return absl::OkStatus();
}

bool LogFile::WaitUntilWritable(const std::atomic<bool>& stop) {
  while (true) {
    if (stop && !give_up_) give_up_ = Clock::now() + std::chrono::seconds(1);
    if (give_up_ && Clock::now() >= *give_up_) return false;
    pollfd ready = {.fd = fd_, .events = POLLOUT, .revents = 0};
    const int count = poll(&ready, 1, /*timeout=*/100);
    if (count > 0) return (ready.revents & POLLOUT) != 0;
    if (count < 0 && errno != EINTR) return false;
  }
}

bool LogFile::Write(std::string_view line, const std::atomic<bool>& stop) {
  while (!line.empty()) {
    if (!WaitUntilWritable(stop)) return false;
    const ssize_t written = write(fd_, line.data(), std::min(line.size(), kPiece));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written > 0) line.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace infer::metrics
