// SPDX-License-Identifier: Apache-2.0
#include "runtime/draft_length.h"

#include <algorithm>

namespace infer {
namespace {

// The last 16 drafted tokens or so decide. What the rate begins with counts as much as four.
constexpr double kForget = 1.0 / 16;
constexpr double kPrior = 4;
// While drafts do not pay, one of this many calls tries a short one, or nothing would be learnt.
// The pause doubles with each that fails.
constexpr int64_t kShortestPause = 16;
constexpr int64_t kLongestPause = 128;
// A call that another program delayed counts no more than this many times the average.
constexpr double kMostDelay = 2;

}  // namespace

DraftLength::DraftLength(const std::array<double, kMaxDraft + 1>& estimates, int64_t usual)
    : estimates_(estimates), pause_(kShortestPause) {
  // The lowest rate at which the usual number is the best one.
  while (rate_ < 0.95 && Best(rate_) < usual) rate_ += 0.01;
}

double DraftLength::TimeOf(int64_t drafted) const {
  const auto at = static_cast<size_t>(drafted);
  size_t nearest = at;
  while (nearest > 0 && measured_[nearest] == 0) --nearest;
  if (measured_[nearest] == 0) {  // only longer ones were measured, or none
    nearest = at;
    while (nearest < kMaxDraft && measured_[nearest] == 0) ++nearest;
  }
  if (measured_[nearest] == 0) return estimates_[at];
  double time = estimates_[at] * (measured_[nearest] / estimates_[nearest]);
  for (size_t k = at + 1; k < measured_.size(); ++k) {
    if (measured_[k] > 0) time = std::min(time, measured_[k]);
  }
  return time;
}

double DraftLength::Gain(int64_t drafted, double rate) const {
  double tokens = 1, chance = 1;
  for (int64_t i = 0; i < drafted; ++i) tokens += chance *= rate;
  return tokens / TimeOf(drafted);
}

int64_t DraftLength::Best(double rate) const {
  int64_t best = 0;
  for (int64_t k = 1; k <= kMaxDraft; ++k) {
    if (Gain(k, rate) > Gain(best, rate)) best = k;
  }
  return best;
}

int64_t DraftLength::Next() {
  // Everything is compared with a call without a draft, so its time must be known.
  if (is_timed_ && measured_[0] == 0) return 0;
  int64_t best = Best(rate_);
  // Where not even a draft that is accepted as a whole pays, there is nothing to try.
  is_trial_ = best == 0 && ++pauses_ >= pause_ && Best(1) > 0;
  return is_trial_ ? 1 : best;
}

void DraftLength::Done(int64_t proposed, int64_t accepted) {
  // Tokens after the first that was refused were never judged.
  const int64_t judged = std::min(proposed, accepted + 1);
  pauses_ = 0;
  pause_ = is_trial_ && accepted == 0 ? std::min(2 * pause_, kLongestPause) : kShortestPause;
  for (int64_t i = 0; i < judged; ++i) {
    const double weight = std::max(kForget, 1 / (kPrior + static_cast<double>(++judged_)));
    rate_ += weight * ((i < accepted ? 1.0 : 0.0) - rate_);
  }
}

void DraftLength::Took(int64_t drafted, double time) {
  double& average = measured_[static_cast<size_t>(drafted)];
  // What another program delayed is too long, and nothing is too short.
  if (is_timed_) time = std::min(time, kMostDelay * TimeOf(drafted));
  const double weight = average == 0 ? 1 : time < average ? 0.5 : 0.125;
  average += weight * (time - average);
  is_timed_ = true;
}

}  // namespace infer
