// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "absl/status/statusor.h"
#include "frontends/grammar/pattern_dfa.h"
#include "frontends/grammar/schema_document.h"
#include "frontends/grammar/schema_shape.h"

namespace infer {

// What a shape's strings are: bounds on the length and, where patterns or formats are given, one
// automaton for all of them.
struct StringBounds {
  uint32_t min = 0;
  uint32_t max = kNoLimit;
  std::optional<PatternDfa> dfa = {};
};

// The patterns of a schema. Each is made into an automaton once.
class StringPatterns {
 public:
  StringPatterns(const SchemaDocument& document, PatternBudget* budget)
      : document_(document), budget_(*budget) {}

  // Returns an error with a JSON pointer if a pattern is malformed, not regular or too large.
  absl::StatusOr<StringBounds> BoundsOf(const SchemaShape& shape);

  // Whether no string matches the patterns and formats of both.
  absl::StatusOr<bool> Apart(const SchemaShape& a, const SchemaShape& b);

 private:
  absl::StatusOr<const StringBounds*> BoundsOf(const SchemaJson& pattern);
  absl::Status Narrow(const PatternDfa& dfa, StringBounds* bounds);

  const SchemaDocument& document_;
  PatternBudget& budget_;
  std::map<const SchemaJson*, StringBounds> made_;
};

}  // namespace infer
