// SPDX-License-Identifier: Apache-2.0
//
// How many threads a program should use here, and why.
#pragma once

#include <optional>
#include <string>

namespace infer {

// What limits the number of threads. A machine says it through files, which tests replace.
struct ThreadLimits {
  int affinity = 1;               // CPUs that the process may run on
  std::optional<int> fast_cores;  // of those, the ones of the fastest class; unset: one class
  std::optional<double> quota;    // CPUs' worth of time that the control group grants

  // One thread for each fast core, but never more than the quota pays for: a thread beyond it would
  // be stopped for the rest of each period, and all others would wait for it.
  int Count() const;
  // "2 = min(affinity 8, cgroup quota 2.5)".
  std::string Derivation() const;
};

// `root` is put before the paths of /proc and /sys.
ThreadLimits ReadThreadLimits(const std::string& root = "");

}  // namespace infer
