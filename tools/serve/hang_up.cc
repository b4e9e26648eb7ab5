// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/hang_up.h"

#include <atomic>

namespace infer::serve {
namespace {

std::atomic<bool> g_hung_up{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set inside a signal handler");

void OnSignal(int) { g_hung_up = true; }

}  // namespace

HangUp::HangUp() {
  g_hung_up = false;
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGHUP, &action, &former_);
}

HangUp::~HangUp() { sigaction(SIGHUP, &former_, nullptr); }

bool HangUp::Take() { return g_hung_up.exchange(false); }

}  // namespace infer::serve
