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
// Each step through an NFA may stay in a subset that is kept: 22 million of them, 180 MB, are all
// that a budget has.
constexpr size_t kSubsetSteps = 12;

absl::Status TooLarge() {
  return absl::InvalidArgumentError(
      "the pattern needs too many states; use smaller counts and fewer alternatives that begin "
      "alike");
}

// Subsets of an NFA's states.
class Subsets {
 public:
  explicit Subsets(const PatternNfa& nfa) : nfa_(nfa), seen_(nfa.states.size()) {}

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

// The intervals that a set covers: from the first to the second.
using Covered = std::vector<std::pair<uint32_t, uint32_t>>;

Covered CoveredBy(const CodePointSet& set, const std::vector<uint32_t>& starts) {
  const auto interval_of = [&](uint32_t code_point) {
    return static_cast<uint32_t>(std::ranges::upper_bound(starts, code_point) - starts.begin() - 1);
  };
  Covered covered;
  for (const CodePointRange& range : set.ranges()) {
    covered.emplace_back(interval_of(range.low), interval_of(range.high));
  }
  return covered;
}

}  // namespace

absl::StatusOr<PatternDfa> PatternDfa::Create(const RegexNode& regex, CompileBudget* budget) {
  ASSIGN_OR_RETURN(const PatternNfa nfa, PatternNfa::Create(regex, budget));
  PatternDfa dfa;
  dfa.starts_ = IntervalStarts(nfa.sets);
  const size_t intervals = dfa.starts_.size();
  std::vector<Covered> covered;
  for (const CodePointSet& set : nfa.sets) covered.push_back(CoveredBy(set, dfa.starts_));
  Subsets subsets(nfa);
  absl::flat_hash_map<std::vector<uint32_t>, uint32_t> ids;
  std::vector<std::vector<uint32_t>> members;
  const auto id_of = [&](const std::vector<uint32_t>& subset) {
    auto [it, added] = ids.try_emplace(subset, static_cast<uint32_t>(members.size()));
    if (added) members.push_back(subset);
    return it->second;
  };
  std::vector<uint32_t> subset;
  std::vector<std::vector<uint32_t>> reached(intervals);  // from the state, by each interval
  subsets.Close(nfa.start, true, false, &subset);
  subsets.Finish(&subset);
  members.push_back(subset);  // the first state differs from all others: only there ^ is passable
  for (uint32_t state = 0; state < members.size(); ++state) {
    if (members.size() * intervals > kMaxTableEntries) return TooLarge();
    size_t steps = subsets.TakeSteps() + intervals;
    for (const uint32_t s : members[state]) {
      if (nfa.states[s].kind != PatternNfa::State::kClass) continue;
      for (const auto& [first, last] : covered[nfa.states[s].set]) steps += last - first + 1;
    }
    RETURN_IF_ERROR(TakePatternSteps(kSubsetSteps * steps, budget));
    for (const uint32_t s : members[state]) {
      const PatternNfa::State& from = nfa.states[s];
      if (from.kind != PatternNfa::State::kClass) continue;
      for (const auto& [first, last] : covered[from.set]) {
        for (uint32_t i = first; i <= last; ++i) reached[i].push_back(from.first);
      }
    }
    dfa.accepting_.push_back(subsets.Accepts(members[state], state == 0));
    for (std::vector<uint32_t>& targets : reached) {
      subset.clear();
      for (const uint32_t target : targets) subsets.Close(target, false, false, &subset);
      targets.clear();
      subsets.Finish(&subset);
      // A thousand alternatives are followed for each interval.
      RETURN_IF_ERROR(TakePatternSteps(kSubsetSteps * subsets.TakeSteps(), budget));
      dfa.next_.push_back(subset.empty() ? kDead : id_of(subset));
    }
  }
  RETURN_IF_ERROR(dfa.Finish(budget));
  return dfa;
}

absl::StatusOr<PatternDfa> PatternDfa::Intersection(const PatternDfa& a, const PatternDfa& b,
                                                    CompileBudget* budget) {
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
  std::vector<std::pair<uint32_t, uint32_t>> intervals;  // of `a` and `b`
  for (const uint32_t start : both.starts_) {
    intervals.emplace_back(a.IntervalOf(start), b.IntervalOf(start));
  }
  id_of(0, 0);
  for (size_t state = 0; state < members.size(); ++state) {
    if (members.size() * both.starts_.size() > kMaxTableEntries) return TooLarge();
    RETURN_IF_ERROR(TakePatternSteps(kSubsetSteps * intervals.size(), budget));
    const auto [x, y] = members[state];
    both.accepting_.push_back(a.accepts(x) && b.accepts(y));
    for (const auto& [of_a, of_b] : intervals) {
      const uint32_t next_x = a.next_[x * a.starts_.size() + of_a];
      const uint32_t next_y = b.next_[y * b.starts_.size() + of_b];
      const bool dead = next_x == kDead || next_y == kDead;
      both.next_.push_back(dead ? kDead : id_of(next_x, next_y));
    }
  }
  RETURN_IF_ERROR(both.Finish(budget));
  return both;
}

absl::Status PatternDfa::Finish(CompileBudget* budget) {
  FinishIntervals();
  RemoveDeadStates();
  FindLoops();
  return CountLengths(budget);
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
  std::vector<uint8_t> kinds(starts_.size());  // of the bytes in each interval
  for (uint8_t byte = 0x20; byte < 0x7F; ++byte) kinds[ascii_[byte]] |= KindOfByte(byte);
  loops_.assign(accepting_.size(), kPlainKinds);
  for (uint32_t state = 0; state < loops_.size(); ++state) {
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (next_[state * kinds.size() + i] != state)
        loops_[state] &= static_cast<uint8_t>(~kinds[i]);
    }
  }
}

}  // namespace infer
