// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/pattern_dfa.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "frontends/grammar/byte_kind.h"
#include "frontends/grammar/pattern_nfa.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr size_t kMaxTableEntries = size_t{1} << 20;  // 4 MiB

absl::Status TooLarge() {
  return absl::InvalidArgumentError(
      "the pattern needs too many states; use smaller counts and fewer alternatives that begin "
      "alike");
}

// Subsets of an NFA's states.
class Subsets {
 public:
  Subsets(const PatternNfa& nfa) : nfa_(nfa), seen_(nfa.states.size()) {}

  // Adds what is reachable from `state` without a code point.
  void Close(uint32_t state, bool at_begin, bool at_end, std::vector<uint32_t>* out) {
    stack_.assign(1, state);
    while (!stack_.empty()) {
      const uint32_t at = stack_.back();
      stack_.pop_back();
      ++steps_;
      if (at == PatternNfa::kNone || seen_[at]) continue;
      seen_[at] = true;
      out->push_back(at);
      const PatternNfa::State& s = nfa_.states[at];
      const bool passable = s.kind == PatternNfa::State::kSplit ||
                            (s.kind == PatternNfa::State::kBegin && at_begin) ||
                            (s.kind == PatternNfa::State::kEnd && at_end);
      if (!passable) continue;
      stack_.push_back(s.first);
      stack_.push_back(s.second);
    }
  }
  void Finish(std::vector<uint32_t>* out) {
    for (const uint32_t state : *out) seen_[state] = false;
    std::ranges::sort(*out);
  }
  // Whether the text may end here.
  bool Accepts(const std::vector<uint32_t>& subset, bool at_begin) {
    std::vector<uint32_t> all;
    for (const uint32_t state : subset) Close(state, at_begin, true, &all);
    const bool accepts = std::ranges::any_of(
        all, [&](uint32_t s) { return nfa_.states[s].kind == PatternNfa::State::kAccept; });
    Finish(&all);
    return accepts;
  }
  // The steps since it was last asked.
  size_t TakeSteps() { return std::exchange(steps_, 0); }

 private:
  const PatternNfa& nfa_;
  std::vector<bool> seen_;
  std::vector<uint32_t> stack_;
  size_t steps_ = 0;
};

std::vector<uint32_t> IntervalStarts(const std::vector<CodePointSet>& sets) {
  std::vector<uint32_t> starts = {0};
  for (const CodePointSet& set : sets) {
    for (const CodePointRange& range : set.ranges()) {
      starts.push_back(range.low);
      if (range.high < kMaxCodePoint) starts.push_back(range.high + 1);
    }
  }
  std::ranges::sort(starts);
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}

}  // namespace

absl::Status PatternBudget::Take(size_t steps) {
  if (steps > steps_) {
    return absl::InvalidArgumentError(
        "the pattern needs too many states, by itself or with the patterns before it; use smaller "
        "counts and fewer alternatives that begin alike");
  }
  steps_ -= steps;
  return absl::OkStatus();
}

absl::StatusOr<PatternDfa> PatternDfa::Create(const RegexNode& regex, PatternBudget* budget) {
  ASSIGN_OR_RETURN(const PatternNfa nfa, PatternNfa::Create(regex));
  PatternDfa dfa;
  dfa.starts_ = IntervalStarts(nfa.sets);
  const size_t intervals = dfa.starts_.size();
  std::vector<std::vector<bool>> contains(nfa.sets.size());
  for (size_t i = 0; i < nfa.sets.size(); ++i) {
    for (const uint32_t start : dfa.starts_) contains[i].push_back(nfa.sets[i].Contains(start));
  }
  Subsets subsets(nfa);
  absl::flat_hash_map<std::vector<uint32_t>, uint32_t> ids;
  std::vector<std::vector<uint32_t>> members;
  const auto id_of = [&](const std::vector<uint32_t>& subset) {
    auto [it, added] = ids.try_emplace(subset, static_cast<uint32_t>(members.size()));
    if (added) members.push_back(subset);
    return it->second;
  };
  std::vector<uint32_t> subset;
  subsets.Close(nfa.start, true, false, &subset);
  subsets.Finish(&subset);
  members.push_back(subset);  // the first state differs from all others: only there ^ is passable
  for (uint32_t state = 0; state < members.size(); ++state) {
    if (members.size() * intervals > kMaxTableEntries) return TooLarge();
    RETURN_IF_ERROR(budget->Take(subsets.TakeSteps()));
    dfa.accepting_.push_back(subsets.Accepts(members[state], state == 0));
    for (size_t interval = 0; interval < intervals; ++interval) {
      subset.clear();
      for (const uint32_t s : members[state]) {
        const PatternNfa::State& from = nfa.states[s];
        if (from.kind == PatternNfa::State::kClass && contains[from.set][interval]) {
          subsets.Close(from.first, false, false, &subset);
        }
      }
      subsets.Finish(&subset);
      dfa.next_.push_back(subset.empty() ? kDead : id_of(subset));
    }
  }
  dfa.FinishIntervals();
  dfa.RemoveDeadStates();
  dfa.FindLoops();
  dfa.CountLengths();
  RETURN_IF_ERROR(budget->Take(dfa.can_end_after_.size()));
  return dfa;
}

absl::StatusOr<PatternDfa> PatternDfa::Intersection(const PatternDfa& a, const PatternDfa& b,
                                                    PatternBudget* budget) {
  PatternDfa both;
  if (a.empty() || b.empty()) return both;
  std::ranges::set_union(a.starts_, b.starts_, std::back_inserter(both.starts_));
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> ids;
  std::vector<std::pair<uint32_t, uint32_t>> members;
  const auto id_of = [&](uint32_t x, uint32_t y) {
    auto [it, added] = ids.try_emplace({x, y}, static_cast<uint32_t>(members.size()));
    if (added) members.push_back({x, y});
    return it->second;
  };
  id_of(0, 0);
  for (size_t state = 0; state < members.size(); ++state) {
    if (members.size() * both.starts_.size() > kMaxTableEntries) return TooLarge();
    RETURN_IF_ERROR(budget->Take(both.starts_.size()));
    const auto [x, y] = members[state];
    both.accepting_.push_back(a.accepts(x) && b.accepts(y));
    for (const uint32_t start : both.starts_) {
      const uint32_t next_x = a.next_[x * a.starts_.size() + a.IntervalOf(start)];
      const uint32_t next_y = b.next_[y * b.starts_.size() + b.IntervalOf(start)];
      const bool dead = next_x == kDead || next_y == kDead;
      both.next_.push_back(dead ? kDead : id_of(next_x, next_y));
    }
  }
  both.FinishIntervals();
  both.RemoveDeadStates();
  both.FindLoops();
  both.CountLengths();
  RETURN_IF_ERROR(budget->Take(both.can_end_after_.size()));
  return both;
}

uint32_t PatternDfa::IntervalOf(uint32_t code_point) const {
  return static_cast<uint32_t>(std::ranges::upper_bound(starts_, code_point) - starts_.begin() - 1);
}

void PatternDfa::FinishIntervals() {
  for (uint32_t c = 0; c < ascii_.size(); ++c) ascii_[c] = IntervalOf(c);
}

void PatternDfa::RemoveDeadStates() {
  const size_t intervals = starts_.size();
  const size_t count = accepting_.size();
  std::vector<std::vector<uint32_t>> from(count);
  for (uint32_t state = 0; state < count; ++state) {
    for (size_t i = 0; i < intervals; ++i) {
      const uint32_t next = next_[state * intervals + i];
      if (next != kDead && (from[next].empty() || from[next].back() != state)) {
        from[next].push_back(state);
      }
    }
  }
  std::vector<bool> live = accepting_;
  std::vector<uint32_t> work;
  for (uint32_t state = 0; state < count; ++state) {
    if (live[state]) work.push_back(state);
  }
  while (!work.empty()) {
    const uint32_t state = work.back();
    work.pop_back();
    for (const uint32_t previous : from[state]) {
      if (live[previous]) continue;
      live[previous] = true;
      work.push_back(previous);
    }
  }
  if (count == 0 || !live[0]) {
    accepting_.clear();
    next_.clear();
    return;
  }
  for (uint32_t& next : next_) {
    if (next != kDead && !live[next]) next = kDead;
  }
}

void PatternDfa::FindLoops() {
  loops_.assign(accepting_.size(), kPlainKinds);
  for (uint32_t state = 0; state < loops_.size(); ++state) {
    for (uint8_t byte = 0x20; byte < 0x7F; ++byte) {
      if (Next(state, byte) != state) loops_[state] &= static_cast<uint8_t>(~KindOfByte(byte));
    }
  }
}

}  // namespace infer
