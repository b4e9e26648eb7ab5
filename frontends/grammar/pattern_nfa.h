// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/grammar/compile_budget.h"
#include "frontends/grammar/regex.h"

namespace infer {

// Takes steps of the budget, or returns an error about patterns.
absl::Status TakePatternSteps(size_t steps, CompileBudget* budget);

// A nondeterministic automaton over code points. Repetitions are written out, up to kMaxStates.
struct PatternNfa {
  static constexpr size_t kMaxStates = 8192;
  static constexpr uint32_t kNone = UINT32_MAX;

  // Moves on a class, or without one to up to two states. A begin or end edge is passable only
  // before the first code point or after the last.
  struct State {
    enum Kind : uint8_t { kClass, kSplit, kBegin, kEnd, kAccept };
    Kind kind = kSplit;
    uint32_t set = 0;  // kClass
    uint32_t first = kNone;
    uint32_t second = kNone;
  };

  static absl::StatusOr<PatternNfa> Create(const RegexNode& regex, CompileBudget* budget);

  std::vector<State> states;
  std::vector<CodePointSet> sets;
  uint32_t start = 0;
};

}  // namespace infer
