// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "tools/cli/console.h"

namespace infer {

// Shows the progress of one piece of work during its lifetime: a bar with rate and time left if
// stderr is a terminal, else an occasional plain line if the work is long. Thread-safe.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // `total` 0 means unknown, and only count and rate are shown. `unit` is what is counted:
  // "tokens".
  Progress(Console* console, std::string label, uint64_t total, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Update(uint64_t done);
  void Advance(uint64_t count);
  // Sets a note that is shown after the counts: a running estimate, a file name.
  void SetNote(std::string note);

 private:
  void Show(Clock::time_point now);

  Console* console_;
  const std::string label_;
  const uint64_t total_;
  const std::string unit_;
  const Clock::time_point start_;
  std::mutex mutex_;  // locked before the console's
  Clock::time_point shown_;
  uint64_t done_ = 0;
  std::string note_;
};

// Returns a callback that shows Progress from its first call until `done` reaches `total`, or until
// its last copy is gone.
std::function<void(uint64_t done, uint64_t total)> ProgressReport(Console* console,
                                                                  std::string label,
                                                                  std::string unit);

// Returns the progress line without colour or cursor movement: `label  [####....]  42% 420/1000
// tokens 12.3 tokens/s, 47 s left`. The bar is shown only if `bar_columns` > 0.
std::string ProgressText(std::string_view label, uint64_t done, uint64_t total,
                         std::string_view unit, double elapsed_s, int bar_columns);

}  // namespace infer
