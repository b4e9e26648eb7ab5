// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace infer {

inline constexpr int64_t kMaxDraft = 7;

// Chooses how many tokens to draft: the number that promises the most tokens for the time of a
// call, by the share of drafted tokens that were accepted lately.
class DraftLength {
 public:
  // costs[k] is the time of a call with 1 + k tokens; only ratios matter. `usual` is the number to
  // begin with.
  DraftLength(const std::array<double, kMaxDraft + 1>& costs, int64_t usual);

  int64_t Next();
  void Done(int64_t proposed, int64_t accepted);

 private:
  // Expected tokens per cost if each drafted token is accepted with probability `rate`.
  double Gain(int64_t drafted, double rate) const;

  std::array<double, kMaxDraft + 1> costs_;
  double rate_;         // of acceptance, a moving average
  int64_t pauses_ = 0;  // calls without a draft since the last one
};

}  // namespace infer
