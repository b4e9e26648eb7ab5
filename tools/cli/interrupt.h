// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <atomic>

#include "absl/status/status.h"

namespace infer {

// SIGINT and SIGTERM while it lives. The first signal only sets a flag, which the tool's loop asks
// for; the second removes temporary files and ends the process at once with 130 or 143. The former
// handlers come back with the destructor. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const;
  // For a library loop that may not know this class: true once a signal came.
  const std::atomic<bool>& stop_flag() const;
  // Ok, or kCancelled with the exit code of the signal: return it after flushing what there is.
  absl::Status Check() const;

 private:
  struct sigaction former_int_;
  struct sigaction former_term_;
};

}  // namespace infer
