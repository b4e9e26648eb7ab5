// SPDX-License-Identifier: Apache-2.0
//
// Whether a sequence has the same bits however its tokens are cut into calls, whatever else is in
// them, and however the cache lies in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/executable.h"

namespace infer {

struct InvarianceOptions {
  int rounds = 16;        // random schedules that are compared with the whole prompt in one go
  int64_t context = 0;    // cache entries of a sequence
  int32_t sequences = 4;  // alive at once; the Program must allow as many
  uint64_t seed = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(int64_t done, int64_t total)> progress = {};
};

struct InvarianceResult {
  int64_t calls = 0;  // of all schedules
  struct Difference {
    std::string schedule;     // "calls of 3 to 17 tokens, 2 other sequences, blocks of 16"
    int64_t position = 0;     // of the token
    std::string node = {};    // the first whose row differs there; empty: only the logits do
    std::string kernel = {};  // of that node in the random schedule
  };
  std::optional<Difference> first;
};

// `executable` must be a language model. Returns kCancelled if `stop` was set.
absl::StatusOr<InvarianceResult> CheckInvariance(std::shared_ptr<const Executable> executable,
                                                 std::span<const int32_t> prompt,
                                                 const InvarianceOptions& options);

}  // namespace infer
