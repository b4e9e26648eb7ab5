// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/string_patterns.h"

#include <algorithm>
#include <utility>

#include "frontends/grammar/formats.h"
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

absl::Status StringPatterns::Narrow(const PatternDfa& dfa, StringBounds* bounds) {
  if (bounds->dfa) {
    ASSIGN_OR_RETURN(bounds->dfa, PatternDfa::Intersection(*bounds->dfa, dfa, &budget_));
    return absl::OkStatus();
  }
  constexpr size_t kBytesPerStep = 32;  // of copying
  RETURN_IF_ERROR(budget_.Take(dfa.memory_bytes() / kBytesPerStep));
  bounds->dfa = dfa;
  return absl::OkStatus();
}

absl::StatusOr<const StringBounds*> StringPatterns::BoundsOf(const SchemaJson& pattern) {
  if (const auto made = made_.find(&pattern); made != made_.end()) return &made->second;
  ASSIGN_OR_RETURN(RegexNode regex, ParseRegex(pattern.get_ref<const std::string&>()));
  StringBounds bounds;
  MoveCountToBounds(&regex, &bounds);
  ASSIGN_OR_RETURN(bounds.dfa, PatternDfa::Create(regex, &budget_));
  return &made_.emplace(&pattern, std::move(bounds)).first->second;
}

absl::StatusOr<StringBounds> StringPatterns::BoundsOf(const SchemaShape& shape) {
  StringBounds bounds = {.min = shape.min_length, .max = shape.max_length};
  const SchemaJson* place = &document_.root();
  const auto at = [&](const absl::Status& status) {
    return status.ok() ? status : document_.Error(*place, ToStd(status.message()));
  };
  for (const SchemaJson* pattern : shape.patterns) {
    place = pattern;
    const absl::StatusOr<const StringBounds*> made = BoundsOf(*pattern);
    RETURN_IF_ERROR(at(made.status()));
    bounds.min = std::max(bounds.min, (*made)->min);
    bounds.max = std::min(bounds.max, (*made)->max);
    RETURN_IF_ERROR(at(Narrow(*(*made)->dfa, &bounds)));
  }
  for (const std::string& format : shape.formats) {
    RETURN_IF_ERROR(at(Narrow(*FormatDfa(format), &bounds)));
  }
  if (!bounds.dfa || bounds.dfa->empty()) return bounds;
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
  if (!x.dfa || !y.dfa) return false;
  const absl::StatusOr<PatternDfa> both = PatternDfa::Intersection(*x.dfa, *y.dfa, &budget_);
  return both.ok() && both->empty();
}

}  // namespace infer
