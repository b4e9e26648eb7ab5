// SPDX-License-Identifier: Apache-2.0
//
// How a GrammarMatcher reads JSON's arrays.
#include <algorithm>

#include "frontends/grammar/grammar_matcher.h"

namespace infer {

void GrammarMatcher::StepArray(const GrammarPosition& position, uint8_t byte, GrammarState* to) {
  const ArrayRule& rule = grammar_->arrays[grammar_->nodes[position.node].index];
  if (position.phase == GrammarPosition::kOpen) {
    if (byte != '[') return;
    const auto id = Push({position.stack, position.node, 0, 0});
    if (id) ExpectItem({.node = position.node, .stack = *id, .phase = GrammarPosition::kFirst}, to);
    return;
  }
  const size_t before = to->positions.size();
  if (StepSpace(position, byte, to)) {
    const bool item_follows = position.phase != GrammarPosition::kAfter;
    if (to->positions.size() > before && item_follows) {
      ExpectItem(GrammarPosition(to->positions.back()), to);
    }
    return;
  }
  const Frame frame = frames_[position.stack];
  const bool is_first = position.phase == GrammarPosition::kFirst;
  const uint32_t count = is_first ? 0 : frame.a + 1;  // whole items
  if (byte == ']' && position.phase != GrammarPosition::kNext) {
    if (count < rule.min) return;
    Return(frame.parent, 0);
    return Follow(to);
  }
  if (byte != ',' || position.phase != GrammarPosition::kAfter) return;
  if (count >= rule.max || (grammar_->whitespace == JsonWhitespace::kTidy && position.a != 0)) {
    return;
  }
  Frame next = frame;
  next.a = count;
  if (rule.max == kNoLimit) {
    next.a = std::min(count, std::max(static_cast<uint32_t>(rule.prefix.size()), rule.min));
  }
  const auto id = Push(next);
  if (id) ExpectItem({.node = position.node, .stack = *id, .phase = GrammarPosition::kNext}, to);
}

// An item, white space in front of it, and for the first also the end of the array.
void GrammarMatcher::ExpectItem(const GrammarPosition& position, GrammarState* to) {
  const ArrayRule& rule = grammar_->arrays[grammar_->nodes[position.node].index];
  Add(position, to);
  const uint32_t index = frames_[position.stack].a;
  if (index >= rule.max) return;
  Enter(index < rule.prefix.size() ? rule.prefix[index] : rule.rest, position.stack, 0);
  Follow(to);
}

}  // namespace infer
