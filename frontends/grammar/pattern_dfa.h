// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/grammar/compile_budget.h"
#include "frontends/grammar/regex.h"

namespace infer {

// A deterministic automaton over code points without dead ends: from every state some text leads to
// acceptance. Also knows the lengths of those texts, so that a pattern and bounds on the length
// never lead a text into a corner together.
class PatternDfa {
 public:
  static constexpr uint32_t kDead = UINT32_MAX;

  // The texts in which `regex` is found somewhere, as JSON Schema's `pattern` means it. Fails if
  // the automaton gets too large, and accepts no text at all if empty() says so.
  static absl::StatusOr<PatternDfa> Create(const RegexNode& regex, CompileBudget* budget);
  // The texts that both accept.
  static absl::StatusOr<PatternDfa> Intersection(const PatternDfa& a, const PatternDfa& b,
                                                 CompileBudget* budget);

  bool empty() const { return accepting_.empty(); }
  size_t memory_bytes() const { return 4 * next_.size() + can_end_after_.size() / 8; }
  uint32_t start() const { return 0; }
  bool accepts(uint32_t state) const { return accepting_[state]; }
  uint32_t Next(uint32_t state, uint32_t code_point) const {
    const uint32_t interval = code_point < 128 ? ascii_[code_point] : IntervalOf(code_point);
    return next_[state * starts_.size() + interval];
  }
  // Calls `use` with each state that a code point from `low` to `high` leads to.
  template <class Use>
  bool AnyNext(uint32_t state, uint32_t low, uint32_t high, const Use& use) const {
    for (uint32_t i = IntervalOf(low); i < starts_.size() && starts_[i] <= high; ++i) {
      const uint32_t next = next_[state * starts_.size() + i];
      if (next != kDead && use(next)) return true;
    }
    return false;
  }

  // The kinds of bytes (ByteKind) of which every one leads from `state` to itself.
  uint8_t loops(uint32_t state) const { return loops_[state]; }

  // Whether a text of `min` to `max` more code points leads from `state` to acceptance.
  bool CanEndWithin(uint32_t state, uint32_t min, uint32_t max) const;
  // CanEndWithin is exact if `max`, or twice `min` where there is no `max`, is at most this.
  uint32_t known_lengths() const { return lengths_settled_ ? kNoLimit : length_count_ - 1; }

 private:
  uint32_t IntervalOf(uint32_t code_point) const;
  void FinishIntervals();
  void RemoveDeadStates();
  void FindLoops();
  absl::Status Finish(CompileBudget* budget);
  absl::Status CountLengths(CompileBudget* budget);
  absl::StatusOr<bool> CountUntilSettled(CompileBudget* budget);

  std::vector<uint32_t> starts_;          // of the intervals; the first is 0
  std::array<uint32_t, 128> ascii_ = {};  // interval of each
  std::vector<uint32_t> next_;            // [state][interval]
  std::vector<bool> accepting_;
  std::vector<uint8_t> loops_;
  uint32_t length_count_ = 0;
  bool lengths_settled_ = false;
  std::vector<bool> can_end_after_;  // [length][state]; the last stands for all above if settled
  std::vector<bool> can_end_late_;   // [state] after one of the upper half of the known lengths
};

}  // namespace infer
