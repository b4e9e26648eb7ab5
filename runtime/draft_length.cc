// SPDX-License-Identifier: Apache-2.0
#include "runtime/draft_length.h"

#include <algorithm>

namespace infer {
namespace {

// The last 16 drafted tokens or so decide.
constexpr double kForget = 1.0 / 16;
// While drafts do not pay, one of this many calls tries a short one, or nothing would be learnt.
constexpr int64_t kPause = 16;

}  // namespace

DraftLength::DraftLength(const std::array<double, kMaxDraft + 1>& costs, int64_t usual)
    : costs_(costs), rate_(0) {
  // The lowest rate at which the usual number is the best one.
  for (rate_ = 0; rate_ < 0.95; rate_ += 0.01) {
    int64_t best = 0;
    for (int64_t k = 1; k <= kMaxDraft; ++k) {
      if (Gain(k, rate_) > Gain(best, rate_)) best = k;
    }
    if (best >= usual) break;
  }
}

double DraftLength::Gain(int64_t drafted, double rate) const {
  double tokens = 1, chance = 1;
  for (int64_t i = 0; i < drafted; ++i) tokens += chance *= rate;
  return tokens / costs_[static_cast<size_t>(drafted)];
}

int64_t DraftLength::Next() {
  int64_t best = 0;
  for (int64_t k = 1; k <= kMaxDraft; ++k) {
    if (Gain(k, rate_) > Gain(best, rate_)) best = k;
  }
  if (best == 0 && ++pauses_ >= kPause) best = 1;
  if (best > 0) pauses_ = 0;
  return best;
}

void DraftLength::Done(int64_t proposed, int64_t accepted) {
  // Tokens after the first that was refused were never judged.
  const int64_t judged = std::min(proposed, accepted + 1);
  for (int64_t i = 0; i < judged; ++i) {
    rate_ += kForget * ((i < accepted ? 1.0 : 0.0) - rate_);
  }
}

}  // namespace infer
