// SPDX-License-Identifier: Apache-2.0
//
// The regular expressions of JSON Schema's `pattern`: ECMA-262 with the u flag, as far as it
// describes regular languages of code points.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/grammar/code_point_set.h"

namespace infer {

inline constexpr uint32_t kNoLimit = UINT32_MAX;

struct RegexNode {
  enum Kind : uint8_t { kClass, kSequence, kAlternatives, kRepeat, kBegin, kEnd };
  Kind kind = kSequence;
  CodePointSet set;                 // kClass
  std::vector<RegexNode> children;  // one for kRepeat
  uint32_t min = 0;                 // kRepeat
  uint32_t max = 0;
};

// Returns an error with the byte where the text is malformed, or where it uses what no automaton
// can do: look-around, back references, word boundaries, Unicode properties.
absl::StatusOr<RegexNode> ParseRegex(std::string_view text);

}  // namespace infer
