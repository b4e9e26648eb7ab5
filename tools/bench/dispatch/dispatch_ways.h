// SPDX-License-Identifier: Apache-2.0
//
// Ways to run something on several threads, each as a call that hands an empty piece of work to all
// of them and returns when all have finished.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace infer {

struct DispatchWay {
  std::string name;
  std::function<void()> dispatch;
  bool starts_threads = false;  // in each call, which is too slow for as many calls as the others
};

// OpenMP's ways come last, in the order in which they must be measured: its threads spin for 0.2 s
// after a region unless told otherwise, and would disturb later measurements. They are absent from
// a build without OpenMP.
absl::StatusOr<std::vector<DispatchWay>> MakeDispatchWays(int threads);

}  // namespace infer
