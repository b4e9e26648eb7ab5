// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace infer {

enum class ColorMode { kAuto, kAlways, kNever };

struct ConsoleOptions {
  bool quiet = false;  // errors and reports only
  int verbosity = 0;   // 0 Info, 1 Verbose, 2 Debug, 3 Trace
  ColorMode color = ColorMode::kAuto;
  std::string log_file =
      {};  // also receives every line that stderr gets without quiet; appended to
};

// Writes to stderr: header, log, progress and the error line. Each message is one write under a
// lock, so lines of several threads never mix, and a progress line is erased before anything else
// is written. Failed writes are ignored: there is nowhere left to report them.
class Console {
 public:
  explicit Console(int fd);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  // `no_color` says that the environment has a non-empty NO_COLOR.
  absl::Status Configure(const ConsoleOptions& options, bool no_color);

  void Info(std::string_view message);
  // Prints what a flag asked for, unchanged and at every level.
  void Report(std::string_view message);
  void Verbose(std::string_view message);
  void Debug(std::string_view message);
  void Trace(std::string_view message);
  void Warning(std::string_view message);
  // Prints the `error:` line of exit_code.h at every level.
  void Error(const absl::Status& status);

  // Returns whether a section's header line may be coloured, for tools that format their own.
  bool color() const { return color_; }
  bool is_terminal() const { return is_terminal_; }
  // Returns whether Trace lines are read by anyone: they are too expensive to format for nothing.
  bool shows_trace() const { return verbosity_ >= kTraceLevel && (!quiet_ || log_fd_ >= 0); }

 private:
  friend class Progress;
  enum class Style { kPlain, kDim, kYellow, kRed };
  static constexpr int kTraceLevel = 3;

  void WriteLine(std::string_view prefix, std::string_view message, Style style, int level);
  void ShowProgressLine(std::string line);

  const int fd_;
  const bool is_terminal_;
  int log_fd_ = -1;
  bool quiet_ = false;
  int verbosity_ = 0;
  bool color_ = false;
  std::mutex mutex_;
  std::string progress_line_;  // on screen now, without a newline; guarded by mutex_
};

}  // namespace infer
