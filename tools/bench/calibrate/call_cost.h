// SPDX-License-Identifier: Apache-2.0
//
// What a call costs besides its steps: finding the regime, placing inputs, updating the cache.
#pragma once

#include <atomic>

#include "absl/status/statusor.h"
#include "runtime/session.h"

namespace infer {

// Runs calls of one token on an empty cache and returns the median, over the calls, of the time
// before the first step and after the last, in nanoseconds. `threads` is the registry's number.
absl::StatusOr<double> MeasureCallNs(Session& session, int threads, const std::atomic<bool>* stop);

}  // namespace infer
