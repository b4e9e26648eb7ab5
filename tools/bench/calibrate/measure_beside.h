// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "backends/ranks/collective_kernels.h"

namespace infer {

// Returns what an exchange takes, in nanoseconds, from `threads` of this rank that compute
// meanwhile. It is next to nothing where the thread that exchanges has a CPU of its own; where it
// has none, each look whether something has come interrupts them. Called by all ranks.
absl::StatusOr<double> MeasureBesideNs(const RankLink& link, int threads);

}  // namespace infer
