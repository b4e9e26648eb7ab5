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

absl::Status Narrow(const PatternDfa& dfa, StringBounds* bounds) {
  if (!bounds->dfa) {
    bounds->dfa = dfa;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(PatternDfa both, PatternDfa::Intersection(*bounds->dfa, dfa));
  bounds->dfa = std::move(both);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StringBounds> StringBoundsOf(const SchemaDocument& document,
                                            const SchemaShape& shape) {
  StringBounds bounds = {.min = shape.min_length, .max = shape.max_length};
  const SchemaJson* place = &document.root();
  const auto at = [&](const absl::Status& status) {
    return status.ok() ? status : document.Error(*place, ToStd(status.message()));
  };
  for (const SchemaJson* pattern : shape.patterns) {
    place = pattern;
    absl::StatusOr<RegexNode> regex = ParseRegex(pattern->get_ref<const std::string&>());
    RETURN_IF_ERROR(at(regex.status()));
    MoveCountToBounds(&*regex, &bounds);
    const absl::StatusOr<PatternDfa> dfa = PatternDfa::Create(*regex);
    RETURN_IF_ERROR(at(dfa.status()));
    RETURN_IF_ERROR(at(Narrow(*dfa, &bounds)));
  }
  for (const std::string& format : shape.formats) {
    RETURN_IF_ERROR(at(Narrow(*FormatDfa(format), &bounds)));
  }
  if (!bounds.dfa || bounds.dfa->empty()) return bounds;
  const uint32_t known = bounds.dfa->known_lengths();
  const uint64_t needed = bounds.max == kNoLimit ? uint64_t{bounds.min} * 2 : bounds.max;
  if (needed > known) {
    return document.Error(*place, StrCat("a pattern whose lengths repeat in steps, such as (aa)*, ",
                                         "takes bounds on the length up to ", known, " only"));
  }
  return bounds;
}

absl::StatusOr<bool> PatternsApart(const SchemaDocument& document, const SchemaShape& a,
                                   const SchemaShape& b) {
  ASSIGN_OR_RETURN(const StringBounds x, StringBoundsOf(document, a));
  ASSIGN_OR_RETURN(const StringBounds y, StringBoundsOf(document, b));
  if (!x.dfa || !y.dfa) return false;
  const absl::StatusOr<PatternDfa> both = PatternDfa::Intersection(*x.dfa, *y.dfa);
  return both.ok() && both->empty();
}

}  // namespace infer
