// SPDX-License-Identifier: Apache-2.0
//
// The ways to let several threads run something together, each as a call that hands an empty piece
// of work to all of them and returns when all have done it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace infer {

struct DispatchWay {
  std::string name;
  std::function<void()> dispatch;
  bool starts_threads = false;  // each call does: too slow for as many calls as the others
};

// OpenMP's come last, in the order in which they must be measured: its threads spin for 0.2 s after
// a region unless told otherwise, and would disturb what comes after. Without OpenMP in the build
// they are missing.
absl::StatusOr<std::vector<DispatchWay>> MakeDispatchWays(int threads);

}  // namespace infer
