// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/string_patterns.h"

#include <algorithm>
#include <utility>

#include "frontends/grammar/formats.h"
#include "frontends/grammar/pattern_nfa.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// ^[...]{m,n}$ is a bound on the length: the count is kept in the state instead of in states.
void MoveCountToBounds(RegexNode* regex, StringBounds* bounds) {
  if (regex->kind != RegexNode::kSequence || regex->children.size() != 3) return;
  RegexNode& repeat = regex->children[1];
  if (regex->children[0].kind != RegexNode::kBegin || regex->children[2].kind != RegexNode::kEnd ||
      repeat.kind != RegexNode::kRepeat || repeat.children[0].kind != RegexNode::kClass) {
    return;
  }
  bounds->min = std::max(bounds->min, repeat.min);
  bounds->max = std::min(bounds->max, repeat.max);
  repeat.min = 0;
  repeat.max = kNoLimit;
}

}  // namespace

absl::StatusOr<StringBounds> StringPatterns::Make(const std::string& text, bool is_format) {
  StringBounds bounds;
  if (is_format) {
    // Nobody owns it: the automata of formats stay for the life of the process.
    bounds.dfa = std::shared_ptr<const PatternDfa>(std::shared_ptr<void>(), FormatDfa(text));
    return bounds;
  }
  ASSIGN_OR_RETURN(RegexNode regex, ParseRegex(text));
  MoveCountToBounds(&regex, &bounds);
  ASSIGN_OR_RETURN(PatternDfa dfa, PatternDfa::Create(regex, &budget_));
  bounds.dfa = std::make_shared<const PatternDfa>(std::move(dfa));
  return bounds;
}

absl::Status StringPatterns::Narrow(const StringBounds& other, StringBounds* bounds) {
  bounds->min = std::max(bounds->min, other.min);
  bounds->max = std::min(bounds->max, other.max);
  if (bounds->dfa == nullptr) {
    bounds->dfa = other.dfa;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(PatternDfa both, PatternDfa::Intersection(*bounds->dfa, *other.dfa, &budget_));
  bounds->dfa = std::make_shared<const PatternDfa>(std::move(both));
  return absl::OkStatus();
}

absl::StatusOr<StringBounds> StringPatterns::BoundsOf(const SchemaShape& shape) {
  StringBounds bounds = {.min = shape.min_length, .max = shape.max_length};
  if (shape.patterns.empty() && shape.formats.empty()) return bounds;
  const Json* place = nullptr;
  const auto at = [&](const absl::Status& status) {
    return status.ok() ? status : document_.Error(*place, ToStd(status.message()));
  };
  std::map<uint32_t, const Json*> rules;
  for (const Json* pattern : shape.patterns) rules[values_.IdOf(*pattern) * 2] = pattern;
  for (const Json* format : shape.formats) rules[values_.IdOf(*format) * 2 + 1] = format;
  Key key;
  for (const auto& [id, rule] : rules) key.push_back(id);
  place = rules.rbegin()->second;
  constexpr size_t kLookUpSteps = 64;
  RETURN_IF_ERROR(at(TakePatternSteps(
      kLookUpSteps * (1 + shape.patterns.size() + shape.formats.size()), &budget_)));
  auto made = made_.find(key);
  if (made == made_.end()) {
    StringBounds all;
    for (const auto& [id, rule] : rules) {
      place = rule;
      auto one = made_.find({id});
      if (one == made_.end()) {
        const bool is_format = id % 2 == 1;
        absl::StatusOr<StringBounds> bounds_of_one =
            Make(rule->get_ref<const std::string&>(), is_format);
        RETURN_IF_ERROR(at(bounds_of_one.status()));
        one = made_.emplace(Key{id}, *std::move(bounds_of_one)).first;
      }
      RETURN_IF_ERROR(at(Narrow(one->second, &all)));
    }
    made = made_.try_emplace(std::move(key), std::move(all)).first;
  }
  bounds.min = std::max(bounds.min, made->second.min);
  bounds.max = std::min(bounds.max, made->second.max);
  bounds.dfa = made->second.dfa;
  if (bounds.dfa->empty()) return bounds;
  const uint32_t known = bounds.dfa->known_lengths();
  const uint64_t needed = bounds.max == kNoLimit ? uint64_t{bounds.min} * 2 : bounds.max;
  if (needed > known) {
    return document_.Error(*place,
                           StrCat("a pattern whose lengths repeat in steps, such as (aa)*, ",
                                  "takes bounds on the length up to ", known, " only"));
  }
  return bounds;
}

absl::StatusOr<bool> StringPatterns::Apart(const SchemaShape& a, const SchemaShape& b) {
  ASSIGN_OR_RETURN(const StringBounds x, BoundsOf(a));
  ASSIGN_OR_RETURN(const StringBounds y, BoundsOf(b));
  if (x.dfa == nullptr || y.dfa == nullptr) return false;
  const absl::StatusOr<PatternDfa> both = PatternDfa::Intersection(*x.dfa, *y.dfa, &budget_);
  return both.ok() && both->empty();
}

}  // namespace infer
