// SPDX-License-Identifier: Apache-2.0
//
// How a GrammarMatcher reads JSON's strings.
#include <algorithm>

#include "frontends/grammar/grammar_matcher.h"
#include "frontends/grammar/partial_char.h"

namespace infer {

void GrammarMatcher::StepString(const GrammarPosition& position, uint8_t byte, GrammarState* to) {
  const StringRule& rule = grammar_->strings[grammar_->nodes[position.node].index];
  GrammarPosition next = position;
  if (position.phase == GrammarPosition::kOpen) {
    if (byte != '"') return;
    next.phase = GrammarPosition::kInside;
    return Add(next, to);
  }
  if (byte == '"' && position.a == 0) {
    if (position.b < rule.min) return;
    if (rule.pattern && !grammar_->patterns[*rule.pattern].accepts(position.c)) return;
    if (rule.set && grammar_->sets_of_strings[*rule.set].NumberAt(position.c) == StringSet::kNone) {
      return;
    }
    Return(position.stack, 0);
    return Follow(to);
  }
  if (StepInside(rule, byte, &next)) Add(next, to);
}

bool GrammarMatcher::StepInside(const StringRule& rule, uint8_t byte,
                                GrammarPosition* position) const {
  PartialChar partial = PartialChar::Unpack(position->a);
  const bool escaped = partial.IsEscape();
  const CharStep step = StepJsonChar(byte, &partial);
  if (step == CharStep::kRefused) return false;
  if (step == CharStep::kPartial) {
    position->a = partial.Packed();
    return StringGoesOn(rule, *position);
  }
  position->a = 0;
  // Without an upper bound only the way to the lower one counts.
  if (rule.max != kNoLimit || position->b < rule.min) ++position->b;
  if (position->b > rule.max) return false;
  if (rule.set) {
    if (escaped && EscapesOnlyIfNeeded() && !NeedsEscape(partial.value)) return false;
    position->c = grammar_->sets_of_strings[*rule.set].Next(position->c, partial.value);
    return position->c != StringSet::kNone;
  }
  if (!rule.pattern) return true;
  const PatternDfa& dfa = grammar_->patterns[*rule.pattern];
  position->c = dfa.Next(position->c, partial.value);
  if (position->c == PatternDfa::kDead) return false;
  const uint32_t left = rule.max == kNoLimit ? kNoLimit : rule.max - position->b;
  return dfa.CanEndWithin(position->c, rule.min - std::min(rule.min, position->b), left);
}

// Whether one of the characters that the partial one can become is allowed.
bool GrammarMatcher::StringGoesOn(const StringRule& rule, const GrammarPosition& position) const {
  if (rule.max != kNoLimit && position.b >= rule.max) return false;
  if (rule.IsFree()) return true;
  const PartialChar partial = PartialChar::Unpack(position.a);
  if (rule.set) {
    const StringSet& set = grammar_->sets_of_strings[*rule.set];
    return AnyPossible(partial, EscapesOnlyIfNeeded(), [&](uint32_t low, uint32_t high) {
      return set.LeadsTo(position.c, low, high, 0, kNoLimit);
    });
  }
  const PatternDfa& dfa = grammar_->patterns[*rule.pattern];
  const uint32_t count = position.b + 1;
  const uint32_t least = rule.min - std::min(rule.min, count);
  const uint32_t most = rule.max == kNoLimit ? kNoLimit : rule.max - count;
  return AnyPossible(partial, false, [&](uint32_t low, uint32_t high) {
    return dfa.AnyNext(position.c, low, high,
                       [&](uint32_t state) { return dfa.CanEndWithin(state, least, most); });
  });
}

}  // namespace infer
