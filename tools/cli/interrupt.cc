// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/interrupt.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "absl/cleanup/cleanup.h"
#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/temp_registry.h"

namespace infer {
namespace {

std::atomic<bool> g_stop{false};
std::atomic<int> g_signal{0};
std::atomic<bool> g_polled{false};  // whether the tool checks g_stop
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "set inside a signal handler");

constexpr std::string_view kBySigint = "interrupted by SIGINT";
constexpr std::string_view kBySigterm = "interrupted by SIGTERM";

ExitCode ExitCodeOf(int signal_number) {
  return signal_number == SIGTERM ? kExitTerminated : kExitInterrupted;
}

// Called inside the handler, which may neither allocate nor lock.
void PrintErrorLine(int signal_number) {
  const std::string_view why = signal_number == SIGTERM ? kBySigterm : kBySigint;
  for (std::string_view part : {std::string_view("error: "), why, std::string_view("\n")}) {
    if (write(STDERR_FILENO, part.data(), part.size()) < 0) return;
  }
}

void OnSignal(int signal_number) {
  int former_errno = errno;
  int none = 0;
  if (!g_polled) {
    RemoveRegisteredTemps();
    PrintErrorLine(signal_number);
    _exit(ExitCodeOf(signal_number));
  }
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
  g_polled = false;
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

bool Interrupt::requested() const { return stop_flag(); }

bool Interrupt::TakeInterrupt() {
  g_polled = true;
  if (!g_stop || g_signal != SIGINT) return false;
  // The flag first: a signal that arrives between the two lines ends the process, as a second one
  // does, but is never lost.
  g_stop = false;
  g_signal = 0;
  return true;
}

void Interrupt::Obeyed() { g_stop = false; }

const std::atomic<bool>& Interrupt::stop_flag() const {
  g_polled = true;
  return g_stop;
}

absl::Status Interrupt::Check() const {
  if (!requested()) return absl::OkStatus();
  int number = g_signal;
  return WithExitCode(absl::CancelledError(ToAbsl(number == SIGTERM ? kBySigterm : kBySigint)),
                      ExitCodeOf(number));
}

absl::Status Interrupt::DoUnchecked(const std::function<absl::Status()>& work) {
  const bool former = g_polled.exchange(false);
  const absl::Cleanup restore = [former] { g_polled = former || g_polled; };
  // Read after g_polled has changed: a signal before that has set the flag, and one after it ends
  // the process.
  return g_stop ? Check() : work();
}

}  // namespace infer
