// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "runtime/session.h"
#include "runtime/verify/value_comparer.h"

namespace infer {

struct CompareOptions {
  std::optional<double> tolerance = {};  // overrides those that follow from the values' rounding
  int64_t decode_tokens = 8;             // after the prompt, each `expected`'s likeliest
  const std::atomic<bool>* stop = nullptr;
  std::function<void(int64_t done, int64_t total)> progress = {};
};

// A session and the kernels that run it.
struct VerifiedSession {
  Session* session;
  const KernelRegistry* registry;
};

// Feeds both sessions the same tokens, call by call, and compares the results of `tested` that have
// an origin with those of `expected`. Ends early when the context of either is full.
absl::StatusOr<RunComparison> CompareSessions(const VerifiedSession& tested,
                                              const VerifiedSession& expected,
                                              std::span<const int32_t> prompt,
                                              const CompareOptions& options);

}  // namespace infer
