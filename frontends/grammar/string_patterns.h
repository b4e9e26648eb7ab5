// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/grammar/compile_budget.h"
#include "frontends/grammar/pattern_dfa.h"
#include "frontends/grammar/schema_document.h"
#include "frontends/grammar/schema_shape.h"
#include "frontends/grammar/schema_values.h"

namespace infer {

// What a shape's strings are: bounds on the length and, where patterns or formats are given, one
// automaton for all of them.
struct StringBounds {
  uint32_t min = 0;
  uint32_t max = kNoLimit;
  std::shared_ptr<const PatternDfa> dfa = nullptr;
};

// The patterns and formats of a schema. Equal ones, and equal lists of them, are made into an
// automaton once.
class StringPatterns {
 public:
  StringPatterns(const SchemaDocument& document, SchemaValues* values, CompileBudget* budget)
      : document_(document), values_(*values), budget_(*budget) {}

  // Returns an error with a JSON pointer if a pattern is malformed, not regular or too large.
  absl::StatusOr<StringBounds> BoundsOf(const SchemaShape& shape);

  // Whether no string matches the patterns and formats of both.
  absl::StatusOr<bool> Apart(const SchemaShape& a, const SchemaShape& b);

 private:
  // Numbers of the texts of patterns, doubled; one more for a format. Ascending.
  using Key = std::vector<uint32_t>;

  absl::StatusOr<StringBounds> Make(const std::string& text, bool is_format);
  absl::Status Narrow(const StringBounds& other, StringBounds* bounds);

  const SchemaDocument& document_;
  SchemaValues& values_;
  CompileBudget& budget_;
  std::map<Key, StringBounds> made_;
};

}  // namespace infer
