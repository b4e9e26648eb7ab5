// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace infer {

inline constexpr int64_t kMaxDraft = 7;

// Chooses how many tokens to draft: the number that promises the most tokens for the time of a
// call, by the share of drafted tokens that were accepted lately and by what calls take.
class DraftLength {
 public:
  // estimates[k] is the time of a call with 1 + k tokens; only ratios matter. `usual` is the number
  // to begin with.
  DraftLength(const std::array<double, kMaxDraft + 1>& estimates, int64_t usual);

  // A number that comes to nothing, because there is nothing to propose, needs no Done.
  int64_t Next();
  // `proposed` is at least 1.
  void Done(int64_t proposed, int64_t accepted);
  // A call with a draft of so many tokens took this long, in any unit that is always the same.
  // Measured times replace the estimates.
  void Took(int64_t drafted, double time);

  // The time of a call with a draft, in calls without one.
  double CostOf(int64_t drafted) const { return TimeOf(drafted) / TimeOf(0); }

 private:
  // The measured time, or the estimate times the ratio of the two for the nearest shorter draft
  // that was measured; no longer than what a longer draft was measured to take.
  double TimeOf(int64_t drafted) const;
  // Expected tokens per time if each drafted token is accepted with probability `rate`.
  double Gain(int64_t drafted, double rate) const;
  int64_t Best(double rate) const;

  std::array<double, kMaxDraft + 1> estimates_;
  std::array<double, kMaxDraft + 1> measured_ = {};  // moving averages; 0: none
  bool is_timed_ = false;
  double rate_ = 0;     // of acceptance, a moving average
  int64_t judged_ = 0;  // drafted tokens that were accepted or refused
  int64_t pauses_ = 0;  // calls without a draft since the last one
  int64_t pause_;       // as many of them until one is tried
  bool is_trial_ = false;
};

}  // namespace infer
