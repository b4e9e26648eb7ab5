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

// Progress of one piece of work, shown while it lives: a bar with rate and time left where stderr
// is a terminal, else a plain line now and then if the work is long. Thread-safe.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // `total` 0: unknown, shows count and rate only. `unit` is what is counted: "tokens".
  Progress(Console* console, std::string label, uint64_t total, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Update(uint64_t done);
  void Advance(uint64_t count);
  // Shown behind the counts: a running estimate, a file name.
  void SetNote(std::string note);

 private:
  void Show(Clock::time_point now);

  Console* console_;
  const std::string label_;
  const uint64_t total_;
  const std::string unit_;
  const Clock::time_point start_;
  std::mutex mutex_;  // taken before the console's
  Clock::time_point shown_;
  uint64_t done_ = 0;
  std::string note_;
};

// A callback that shows Progress from its first call until `done` reaches `total`, or until the
// last copy of it is gone.
std::function<void(uint64_t done, uint64_t total)> ProgressReport(Console* console,
                                                                  std::string label,
                                                                  std::string unit);

// The progress line without colour or cursor movement: `label  [####....]  42% 420/1000 tokens
// 12.3 tokens/s, 47 s left`. The bar only if `bar_columns` > 0.
std::string ProgressText(std::string_view label, uint64_t done, uint64_t total,
                         std::string_view unit, double elapsed_s, int bar_columns);

}  // namespace infer
