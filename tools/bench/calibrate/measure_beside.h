// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "backends/ranks/collective_kernels.h"
#include "runtime/step_events.h"

namespace infer {

// Returns by how many nanoseconds an exchange of the messages of 64 tokens delays `threads` of this
// rank that compute meanwhile. That is next to nothing where the thread that exchanges has a CPU of
// its own; where it has none, it takes theirs whenever it looks for messages. Called by all ranks.
absl::StatusOr<double> MeasureBesideNs(const RankLink& link, int threads,
                                       const std::function<int64_t()>& now_ns = StepClockNs);

}  // namespace infer
