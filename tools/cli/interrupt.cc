// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/interrupt.h"

#include <unistd.h>

#include <cerrno>

#include "tools/cli/exit_code.h"
#include "tools/cli/temp_registry.h"

namespace infer {
namespace {

std::atomic<bool> g_stop{false};
std::atomic<int> g_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "set inside a signal handler");

ExitCode ExitCodeOf(int signal_number) {
  return signal_number == SIGTERM ? kExitTerminated : kExitInterrupted;
}

void OnSignal(int signal_number) {
  int former_errno = errno;
  int none = 0;
  if (!g_signal.compare_exchange_strong(none, signal_number)) {
    RemoveRegisteredTemps();
    _exit(ExitCodeOf(signal_number));
  }
  g_stop = true;
  errno = former_errno;
}

}  // namespace

Interrupt::Interrupt() {
  g_stop = false;
  g_signal = 0;
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART, so that a blocked read from a terminal or pipe returns.
  sigaction(SIGINT, &action, &former_int_);
  sigaction(SIGTERM, &action, &former_term_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &former_int_, nullptr);
  sigaction(SIGTERM, &former_term_, nullptr);
}

bool Interrupt::requested() const { return g_stop; }

bool Interrupt::TakeInterrupt() {
  if (!g_stop || g_signal != SIGINT) return false;
  // The flag first: a signal that arrives between the two lines ends the process, as a second one
  // does, but is never lost.
  g_stop = false;
  g_signal = 0;
  return true;
}

void Interrupt::Obeyed() { g_stop = false; }

const std::atomic<bool>& Interrupt::stop_flag() const { return g_stop; }

absl::Status Interrupt::Check() const {
  if (!g_stop) return absl::OkStatus();
  int number = g_signal;
  return WithExitCode(
      absl::CancelledError(number == SIGTERM ? "interrupted by SIGTERM" : "interrupted by SIGINT"),
      ExitCodeOf(number));
}

}  // namespace infer
