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
  std::optional<double> tolerance = {};  // instead of those of the values' rounding
  int64_t decode_tokens = 8;  // after the prompt, each the likeliest of the other session
  const std::atomic<bool>* stop = nullptr;
  std::function<void(int64_t done, int64_t total)> progress = {};
};

// A session with the kernels that run it.
struct VerifiedSession {
  Session* session;
  const KernelRegistry* registry;
};

// Gives both sessions the same tokens, call by call, and compares the results of `tested` that have
// an origin with those of `expected`. Ends early where the context of one of them is full.
absl::StatusOr<Comparison> CompareSessions(const VerifiedSession& tested,
                                           const VerifiedSession& expected,
                                           std::span<const int32_t> prompt,
                                           const CompareOptions& options);

}  // namespace infer
