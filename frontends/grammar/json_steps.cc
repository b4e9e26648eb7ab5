// SPDX-License-Identifier: Apache-2.0
//
// How a GrammarMatcher reads JSON's objects, and white space.
#include <algorithm>

#include "frontends/grammar/grammar_matcher.h"
#include "frontends/grammar/partial_char.h"

namespace infer {
namespace {

constexpr GrammarNodeId kForbiddenValue = ObjectRule::kForbidden;
// What `c` of a key is once it differs from all named ones.
constexpr uint32_t kNoKey = StringSet::kNone;

// The frame of an object has the next key that may come in `a` and the properties so far in `b`,
// with this bit if there was an additional one.
constexpr uint32_t kHasAdditional = 1u << 31;
uint32_t Count(const FrameArena::Frame& frame) { return frame.b & ~kHasAdditional; }

bool IsSpace(uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r'; }

// Tidy white space: 0 none, 1 a space, 2 a carriage return, from 3 on a line and its indent.
constexpr uint32_t kOneSpace = 1, kReturn = 2, kLine = 3;

}  // namespace

// White space where the position allows it. Returns whether the byte is white space.
bool GrammarMatcher::StepSpace(const GrammarPosition& position, uint8_t byte, GrammarState* to) {
  if (!IsSpace(byte)) return false;
  GrammarPosition next = position;
  if (grammar_->whitespace == JsonWhitespace::kFree) {
    if (++next.a <= kMaxWhitespace) Add(next, to);
    return true;
  }
  if (position.phase == GrammarPosition::kColon) return true;
  // No space stands in front of a comma, so what follows one here is the end.
  if (position.phase == GrammarPosition::kAfter && !MayClose(position)) return true;
  if (position.a >= kLine) {
    next.a = position.a + 1;
    if (byte != '\n' && byte != '\r' && next.a <= kLine + kMaxIndent) Add(next, to);
    return true;
  }
  if (position.a == kReturn) {
    next.a = kLine;
    if (byte == '\n') Add(next, to);
    return true;
  }
  if (position.a != 0) return true;
  if (byte == ' ') {
    next.a = kOneSpace;
    Add(next, to);
  } else if (position.phase != GrammarPosition::kValue && byte != '\t') {
    next.a = byte == '\n' ? kLine : kReturn;
    Add(next, to);
  }
  return true;
}

// A key may be skipped unless it is required, and enough and not too many properties must remain
// possible after the chosen one.
GrammarMatcher::KeyChoice GrammarMatcher::KeysAt(const GrammarPosition& position) const {
  const ObjectRule& rule = grammar_->objects[grammar_->nodes[position.node].index];
  const Frame& frame = frames_[position.stack];
  const auto keys = static_cast<uint32_t>(rule.values.size());
  const uint32_t count = Count(frame) + 1;
  KeyChoice choice;
  if (count > rule.max) return choice;
  const bool more = rule.additional != kForbiddenValue;
  choice.additional = more && rule.next_required[frame.a] == keys &&
                      ((frame.b & kHasAdditional) != 0 || count >= rule.min);
  if (frame.a >= keys) return choice;
  choice.first = frame.a;
  choice.last = std::min(rule.next_required[frame.a], keys - 1);
  // Every key in front of the required one leaves the same number of required ones to come.
  if (rule.max != kNoLimit && count + rule.required_from[choice.first + 1] > rule.max) {
    choice.first = choice.last;
    if (count + rule.required_from[choice.first + 1] > rule.max) return {1, 0, choice.additional};
  }
  // Later keys leave fewer properties to come.
  while (rule.min > 0 && count + rule.usable_from[choice.last + 1] + more < rule.min) {
    if (choice.last == choice.first) return {1, 0, choice.additional};
    --choice.last;
  }
  if (!rule.keys.LeadsTo(StringSet::kRoot, choice.first, choice.last)) {
    return {1, 0, choice.additional};
  }
  return choice;
}

bool GrammarMatcher::ObjectMayEnd(const ObjectRule& rule, const Frame& frame) const {
  // Additional keys might be equal to each other: the first one counts, and comes only where it is
  // enough.
  return rule.next_required[frame.a] == rule.values.size() &&
         ((frame.b & kHasAdditional) != 0 || Count(frame) >= rule.min);
}

// Whether the object or array may end after the value that was read.
bool GrammarMatcher::MayClose(const GrammarPosition& position) const {
  const GrammarNode& node = grammar_->nodes[position.node];
  const Frame& frame = frames_[position.stack];
  if (node.kind == GrammarNode::kObject) return ObjectMayEnd(grammar_->objects[node.index], frame);
  return frame.a + 1 >= grammar_->arrays[node.index].min;
}

void GrammarMatcher::StepObject(const GrammarPosition& position, uint8_t byte, GrammarState* to) {
  GrammarPosition next = {.node = position.node, .stack = position.stack};
  if (position.phase == GrammarPosition::kOpen) {
    if (byte != '{') return;
    const auto frame = Push({position.stack, position.node, 0, 0});
    if (!frame) return;
    next.stack = *frame;
    next.phase = GrammarPosition::kFirst;
    return Add(next, to);
  }
  if (position.phase == GrammarPosition::kKey) return StepKey(position, byte, to);
  const size_t before = to->positions.size();
  if (StepSpace(position, byte, to)) {
    const bool value_follows = position.phase == GrammarPosition::kValue;
    if (to->positions.size() > before && value_follows) {
      ExpectValue(GrammarPosition(to->positions.back()), to);
    }
    return;
  }
  const ObjectRule& rule = grammar_->objects[grammar_->nodes[position.node].index];
  const Frame frame = frames_[position.stack];
  const bool tidy = grammar_->whitespace == JsonWhitespace::kTidy;
  if (byte == '}') {
    const bool here =
        position.phase == GrammarPosition::kFirst || position.phase == GrammarPosition::kAfter;
    if (!here || !ObjectMayEnd(rule, frame)) return;
    Return(frame.parent, 0);
    return Follow(to);
  }
  if (byte == '"') {
    const bool here =
        position.phase == GrammarPosition::kFirst || position.phase == GrammarPosition::kNext;
    if (!here || !KeysAt(position).any()) return;
    next.phase = GrammarPosition::kKey;
    next.c = StringSet::kRoot;
    return Add(next, to);
  }
  if (byte == ',' && position.phase == GrammarPosition::kAfter) {
    if ((tidy && position.a != 0) || !KeysAt(position).any()) return;
    next.phase = GrammarPosition::kNext;
    return Add(next, to);
  }
  if (byte == ':' && position.phase == GrammarPosition::kColon) {
    next.phase = GrammarPosition::kValue;
    next.c = position.c;
    ExpectValue(next, to);
  }
}

// The value, and white space in front of it.
void GrammarMatcher::ExpectValue(const GrammarPosition& position, GrammarState* to) {
  const ObjectRule& rule = grammar_->objects[grammar_->nodes[position.node].index];
  Add(position, to);
  Enter(position.c == kNoKey ? rule.additional : rule.values[position.c], position.stack, 0);
  Follow(to);
}

void GrammarMatcher::StepKey(const GrammarPosition& position, uint8_t byte, GrammarState* to) {
  const ObjectRule& rule = grammar_->objects[grammar_->nodes[position.node].index];
  PartialChar partial = PartialChar::Unpack(position.a);
  if (byte == '"' && partial.mode == PartialChar::kNone) return EndKey(position, to);
  const CharStep step = StepJsonChar(byte, &partial);
  if (step == CharStep::kRefused) return;
  const KeyChoice choice = KeysAt(position);
  GrammarPosition next = position;
  if (step == CharStep::kComplete) {
    next.a = 0;
    const bool escaped = PartialChar::Unpack(position.a).IsEscape();
    const bool needless = escaped && EscapesOnlyIfNeeded() && !NeedsEscape(partial.value);
    if (needless && !choice.additional) return;
    if (position.c != kNoKey) next.c = rule.keys.Next(position.c, partial.value);
    const bool named = next.c != kNoKey && rule.keys.LeadsTo(next.c, choice.first, choice.last);
    if (named || choice.additional) Add(next, to);
    return;
  }
  next.a = partial.Packed();
  const bool goes_on =
      choice.additional ||
      (position.c != kNoKey &&
       AnyPossible(partial, EscapesOnlyIfNeeded(), [&](uint32_t low, uint32_t high) {
         return rule.keys.LeadsTo(position.c, low, high, choice.first, choice.last);
       }));
  if (goes_on) Add(next, to);
}

void GrammarMatcher::EndKey(const GrammarPosition& position, GrammarState* to) {
  const ObjectRule& rule = grammar_->objects[grammar_->nodes[position.node].index];
  const KeyChoice choice = KeysAt(position);
  const uint32_t key = position.c == kNoKey ? kNoKey : rule.keys.NumberAt(position.c);
  Frame frame = frames_[position.stack];
  if (key != kNoKey) {
    const bool allowed = key >= choice.first && key <= choice.last;
    if (!allowed || rule.values[key] == kForbiddenValue) return;
    frame.a = key + 1;
  } else {
    if (!choice.additional) return;
    frame.a = static_cast<uint32_t>(rule.values.size());
  }
  uint32_t count = Count(frame) + 1;
  if (rule.max == kNoLimit) count = std::min(count, rule.min);
  frame.b = count | (frame.b & kHasAdditional) | (key == kNoKey ? kHasAdditional : 0);
  const auto id = Push(frame);
  if (!id) return;
  Add({.node = position.node, .stack = *id, .c = key, .phase = GrammarPosition::kColon}, to);
}

}  // namespace infer
