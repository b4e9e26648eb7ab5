// SPDX-License-Identifier: Apache-2.0
//
// Determines how many threads a program should use on this machine, and why.
#pragma once

#include <optional>
#include <string>

namespace infer {

// The limits on the number of threads, read from system files (which tests replace).
struct ThreadLimits {
  int affinity = 1;               // CPUs that the process may run on
  std::optional<int> fast_cores;  // of those, the fastest class; unset if all are alike
  std::optional<double> quota;    // CPU time granted by the control group, in CPUs

  // One thread per fast core, but never more than the quota allows: an extra thread would be
  // throttled for the rest of each period, and all others would wait for it.
  int Count() const;
  // CPUs that threads can run on at the same time for long: affinity and quota, of any speed.
  int UsableCpus() const;
  // "2 = min(affinity 8, cgroup quota 2.5)".
  std::string Derivation() const;
};

// `root` is prepended to the paths in /proc and /sys.
ThreadLimits ReadThreadLimits(const std::string& root = "");

}  // namespace infer
