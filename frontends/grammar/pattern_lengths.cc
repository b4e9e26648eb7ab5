// SPDX-License-Identifier: Apache-2.0
//
// The lengths of the texts that a pattern accepts.
#include <algorithm>

#include "frontends/grammar/pattern_dfa.h"
#include "frontends/grammar/pattern_nfa.h"
#include "ir/base/status_macros.h"

namespace infer {
namespace {

constexpr uint32_t kLengths = 4096;
constexpr size_t kMaxLengthSteps = size_t{20} << 20;  // about 0.1 s
// Of looking along one edge. A budget has 67 million of them, 3 of the largest patterns.
constexpr size_t kLengthSteps = 4;

}  // namespace

// can_end_after_[n] follows from can_end_after_[n - 1] alone: once two are equal, all others are.
absl::StatusOr<bool> PatternDfa::CountUntilSettled(CompileBudget* budget) {
  const size_t count = accepting_.size();
  const size_t intervals = starts_.size();
  can_end_after_ = accepting_;
  length_count_ = 1;
  if (count == 0) return true;
  std::vector<std::vector<uint32_t>> edges(count);
  std::vector<size_t> edge_from(count, count);  // the last state with an edge to each
  for (size_t state = 0; state < count; ++state) {
    for (size_t i = 0; i < intervals; ++i) {
      const uint32_t next = next_[state * intervals + i];
      if (next == kDead || edge_from[next] == state) continue;
      edge_from[next] = state;
      edges[state].push_back(next);
    }
  }
  std::vector<uint8_t> last(accepting_.begin(), accepting_.end()), now(count);
  const size_t most = std::min<size_t>(kLengths, kMaxLengthSteps / (count * 4) + 1);
  while (length_count_ <= most) {
    size_t steps = count;
    for (size_t state = 0; state < count; ++state) {
      const std::vector<uint32_t>& next = edges[state];
      const auto it = std::ranges::find_if(next, [&](uint32_t s) { return last[s] != 0; });
      now[state] = it != next.end();
      steps += static_cast<size_t>(it - next.begin());
    }
    RETURN_IF_ERROR(TakePatternSteps(kLengthSteps * steps, budget));
    if (now == last) return true;
    can_end_after_.insert(can_end_after_.end(), now.begin(), now.end());
    ++length_count_;
    last = now;
  }
  return false;
}

absl::Status PatternDfa::CountLengths(CompileBudget* budget) {
  ASSIGN_OR_RETURN(lengths_settled_, CountUntilSettled(budget));
  const size_t count = accepting_.size();
  can_end_late_.assign(count, false);
  for (size_t length = length_count_ / 2; length < length_count_; ++length) {
    for (size_t state = 0; state < count; ++state) {
      if (can_end_after_[length * count + state]) can_end_late_[state] = true;
    }
  }
  return absl::OkStatus();
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
