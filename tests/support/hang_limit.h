// SPDX-License-Identifier: Apache-2.0
//
// Waiting for what must happen, by looking. No test fails because it took long: the limit only ends
// one that would never end.
#pragma once

#include <chrono>
#include <thread>

namespace infer {

// What takes longer hangs. A machine with ten times as many busy processes as CPUs needs seconds.
inline constexpr std::chrono::seconds kHangLimit{120};

// Looks until `is_true()`. Returns false at kHangLimit. A pause longer than the default suits looks
// that take the CPU from what is waited for.
template <class Condition>
[[nodiscard]] bool WaitUntil(const Condition& is_true,
                             std::chrono::milliseconds pause = std::chrono::milliseconds(1)) {
  const auto end = std::chrono::steady_clock::now() + kHangLimit;
  while (!is_true()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

}  // namespace infer
