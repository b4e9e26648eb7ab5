// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <atomic>
#include <functional>

#include "absl/status/status.h"

namespace infer {

// Handles SIGINT and SIGTERM during its lifetime. Until a tool calls one of the functions below,
// nothing would notice a flag, and a signal ends the process at once: the output is incomplete
// anyway while a model is compiled, checked or hashed. From then on, except in DoUnchecked, the
// first signal only sets a flag, which the tool's loop checks, and the second ends the process.
// Ending it removes temporary files and gives the exit code 130 or 143. The destructor restores the
// previous handlers. Only one may exist at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const;
  // Returns whether SIGINT arrived, and forgets it: the next signal is a first one again. For a
  // tool that stops a piece of work on Ctrl-C and goes on. SIGTERM is never forgotten.
  bool TakeInterrupt();
  // The tool has done what the signal asks for, as a server does that finishes its answers: the end
  // is a success.
  void Obeyed();
  // For a library loop that must not depend on this class: true once a signal arrived.
  const std::atomic<bool>& stop_flag() const;
  // Returns Ok, or kCancelled with the exit code of the signal; the tool flushes what it has and
  // returns it.
  absl::Status Check() const;
  // Calls `work`, which cannot check the flag, such as compiling. While it runs, a signal ends the
  // process at once, even if the tool has checked the flag before. Returns what `work` does, or as
  // Check() if a signal has arrived already. What the tool has to say must be flushed before.
  absl::Status DoUnchecked(const std::function<absl::Status()>& work);

 private:
  struct sigaction former_int_;
  struct sigaction former_term_;
};

}  // namespace infer
