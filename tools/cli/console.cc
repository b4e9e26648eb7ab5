// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/console.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/write_all.h"

namespace infer {
namespace {

constexpr char kEraseLine[] = "\r\x1b[K";
constexpr int kEveryLevel = -1;  // below the levels that quiet hides

void WriteQuietly(int fd, std::string_view bytes) { WriteAll(fd, bytes, "stderr").IgnoreError(); }

}  // namespace

Console::Console(int fd) : fd_(fd), is_terminal_(isatty(fd) == 1) {}

Console::~Console() {
  if (log_fd_ >= 0) close(log_fd_);
}

absl::Status Console::Configure(const ConsoleOptions& options, bool no_color) {
  quiet_ = options.quiet;
  verbosity_ = options.verbosity;
  color_ = options.color == ColorMode::kAlways ||
           (options.color == ColorMode::kAuto && is_terminal_ && !no_color);
  if (options.log_file.empty()) return absl::OkStatus();
  log_fd_ = open(options.log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (log_fd_ < 0) return IoError(options.log_file, "open of the log file", errno);
  return absl::OkStatus();
}

void Console::Info(std::string_view message) { WriteLine("", message, Style::kPlain, 0); }
void Console::Report(std::string_view message) {
  WriteLine("", message, Style::kPlain, kEveryLevel);
}
void Console::Verbose(std::string_view message) { WriteLine("", message, Style::kDim, 1); }
void Console::Debug(std::string_view message) { WriteLine("", message, Style::kDim, 2); }
void Console::Trace(std::string_view message) {
  WriteLine("", message, Style::kPlain, kTraceLevel);
}
void Console::Warning(std::string_view message) {
  WriteLine("warning: ", message, Style::kYellow, 0);
}

void Console::Error(const absl::Status& status) {
  std::string line = ErrorLine(status);
  line.pop_back();
  constexpr std::string_view kPrefix = "error: ";
  WriteLine(kPrefix, std::string_view(line).substr(kPrefix.size()), Style::kRed, kEveryLevel);
}

// Only the prefix of a warning or error is coloured: the message stays readable on any background.
void Console::WriteLine(std::string_view prefix, std::string_view message, Style style, int level) {
  if (level > verbosity_) return;
  std::lock_guard<std::mutex> lock(mutex_);
  std::string plain = StrCat(prefix, message, "\n");
  if (log_fd_ >= 0) WriteQuietly(log_fd_, plain);
  if (quiet_ && level >= 0) return;
  std::string out;
  if (!progress_line_.empty()) out = kEraseLine;
  if (!color_ || style == Style::kPlain) {
    out += plain;
  } else if (style == Style::kDim) {
    StrAppend(&out, "\x1b[2m", message, "\x1b[0m\n");
  } else {
    StrAppend(&out, style == Style::kRed ? "\x1b[31m" : "\x1b[33m", prefix, "\x1b[0m", message,
              "\n");
  }
  out += progress_line_;
  WriteQuietly(fd_, out);
}

void Console::ShowProgressLine(std::string line) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (quiet_ || !is_terminal_ || line == progress_line_) return;
  WriteQuietly(fd_, StrCat(kEraseLine, line));
  progress_line_ = std::move(line);
}

}  // namespace infer
