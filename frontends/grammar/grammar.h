// SPDX-License-Identifier: Apache-2.0
//
// A compiled grammar: what GBNF and JSON Schema become, and what a GrammarMatcher runs.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/grammar/code_point_set.h"
#include "frontends/grammar/number_dfa.h"
#include "frontends/grammar/pattern_dfa.h"
#include "frontends/grammar/string_set.h"

namespace infer {

using GrammarNodeId = uint32_t;

// One expression. Nodes refer to each other by id, in circles where the grammar is recursive.
// Counts are kept by the matcher and never written out, so a bound costs nothing.
struct GrammarNode {
  enum Kind : uint8_t {
    kLiteral,       // the bytes literals[index]
    kChar,          // one character of sets[index], as UTF-8
    kNumber,        // a number of numbers[index]
    kString,        // a JSON string of strings[index], with its quotes
    kObject,        // a JSON object of objects[index]
    kArray,         // a JSON array of arrays[index]
    kSequence,      // all children, in order
    kAlternatives,  // one of the children; none can be matched if there are none
    kRepeat,        // the child, min to max times
  };
  Kind kind = kSequence;
  uint32_t index = 0;
  uint32_t min = 0;
  uint32_t max = 0;
  std::vector<GrammarNodeId> children = {};
  bool is_nullable = false;  // matches the empty text
};

// A JSON string: bounds on its length in code points, and a pattern or a set of values.
struct StringRule {
  uint32_t min = 0;
  uint32_t max = kNoLimit;
  std::optional<uint32_t> pattern = {};  // index into Grammar::patterns
  std::optional<uint32_t> set = {};      // index into Grammar::sets_of_strings

  bool IsFree() const { return !pattern && !set; }
};

// A JSON object. Keys come in the order of `values`, then any additional ones.
struct ObjectRule {
  static constexpr GrammarNodeId kForbidden = std::numeric_limits<GrammarNodeId>::max();

  StringSet keys;                     // numbered as `values`
  std::vector<GrammarNodeId> values;  // kForbidden: the key cannot be used
  std::vector<bool> is_required;
  GrammarNodeId additional = kForbidden;
  uint32_t min = 0;  // properties
  uint32_t max = kNoLimit;

  // Filled by FinishGrammar, for each key and one beyond the last: the first required key from
  // there on, and how many can still be used.
  std::vector<uint32_t> next_required;
  std::vector<uint32_t> required_from;
  std::vector<uint32_t> usable_from;
};

// A JSON array.
struct ArrayRule {
  std::vector<GrammarNodeId> prefix = {};
  GrammarNodeId rest = ObjectRule::kForbidden;
  uint32_t min = 0;
  uint32_t max = kNoLimit;
};

// Where white space may stand in JSON.
enum class JsonWhitespace : uint8_t {
  kTidy,  // one space, or a new line with up to kMaxIndent spaces or tabs, where printers put them
  kFree,  // up to kMaxWhitespace characters wherever JSON allows them
};
inline constexpr uint32_t kMaxIndent = 40;
inline constexpr uint32_t kMaxWhitespace = 1024;

struct Grammar {
  std::vector<GrammarNode> nodes;
  std::vector<std::string> literals;
  std::vector<CodePointSet> sets;
  std::vector<NumberDfa> numbers;
  std::vector<StringRule> strings;
  std::vector<PatternDfa> patterns;
  std::vector<StringSet> sets_of_strings;
  std::vector<ObjectRule> objects;
  std::vector<ArrayRule> arrays;
  GrammarNodeId root = 0;
  JsonWhitespace whitespace = JsonWhitespace::kTidy;
};

inline GrammarNodeId AddNode(GrammarNode node, Grammar* grammar) {
  grammar->nodes.push_back(std::move(node));
  return static_cast<GrammarNodeId>(grammar->nodes.size() - 1);
}

}  // namespace infer
