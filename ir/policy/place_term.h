// SPDX-License-Identifier: Apache-2.0
//
// The terms of a rule on a command line, such as rows>=8. Only for ir/policy/place_rule.cc, which
// has the grammar.
#pragma once

#include <cstddef>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/policy/policy.h"

namespace infer {

// A part of the text, with its position.
struct PlacePart {
  std::string_view text;
  size_t at = 0;

  PlacePart Sub(size_t begin, size_t length = std::string_view::npos) const {
    return {text.substr(begin, length), at + begin};
  }
};

absl::Status ErrorAt(const PlacePart& part, std::string_view what);

struct PlaceTerm {
  PlacePart field;
  std::string_view cmp;
  PlacePart value;
};

absl::StatusOr<PlaceTerm> SplitTerm(const PlacePart& part);
// Adds the term's condition to the rule.
absl::Status ApplyTerm(const PlaceTerm& term, Rule* rule);

}  // namespace infer
