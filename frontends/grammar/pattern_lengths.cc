// SPDX-License-Identifier: Apache-2.0
//
// The lengths of the texts that a pattern accepts.
#include <algorithm>

#include "frontends/grammar/pattern_dfa.h"

namespace infer {
namespace {

constexpr uint32_t kLengths = 4096;
constexpr size_t kMaxSteps = size_t{20} << 20;  // about 0.1 s

}  // namespace

// can_end_after_[n] follows from can_end_after_[n - 1] alone: once two are equal, all others are.
bool PatternDfa::CountUntilSettled() {
  const size_t count = accepting_.size();
  const size_t intervals = starts_.size();
  can_end_after_ = accepting_;
  length_count_ = 1;
  if (count == 0) return true;
  std::vector<std::vector<uint32_t>> edges(count);
  for (size_t state = 0; state < count; ++state) {
    for (size_t i = 0; i < intervals; ++i) {
      const uint32_t next = next_[state * intervals + i];
      if (next != kDead && std::ranges::find(edges[state], next) == edges[state].end()) {
        edges[state].push_back(next);
      }
    }
  }
  std::vector<bool> last = accepting_, now(count);
  const size_t most = std::min<size_t>(kLengths, kMaxSteps / (count * 4) + 1);
  while (length_count_ <= most) {
    for (size_t state = 0; state < count; ++state) {
      now[state] = std::ranges::any_of(edges[state], [&](uint32_t next) { return last[next]; });
    }
    if (now == last) return true;
    can_end_after_.insert(can_end_after_.end(), now.begin(), now.end());
    ++length_count_;
    last = now;
  }
  return false;
}

void PatternDfa::CountLengths() {
  lengths_settled_ = CountUntilSettled();
  const size_t count = accepting_.size();
  can_end_late_.assign(count, false);
  for (size_t length = length_count_ / 2; length < length_count_; ++length) {
    for (size_t state = 0; state < count; ++state) {
      if (can_end_after_[length * count + state]) can_end_late_[state] = true;
    }
  }
}

bool PatternDfa::CanEndWithin(uint32_t state, uint32_t min, uint32_t max) const {
  if (min == 0 && max == kNoLimit) return true;  // there are no dead states
  if (min > max) return false;
  const uint32_t last = length_count_ - 1;
  for (uint32_t length = min; length <= std::min(max, last); ++length) {
    if (can_end_after_[length * accepting_.size() + state]) return true;
  }
  if (max <= last) return false;
  // Above the known lengths.
  return lengths_settled_ ? can_end_after_[last * accepting_.size() + state] : can_end_late_[state];
}

}  // namespace infer
