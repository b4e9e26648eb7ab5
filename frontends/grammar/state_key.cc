// SPDX-License-Identifier: Apache-2.0
//
// A state of a GrammarMatcher as a key that means the same to every matcher of the grammar.
#include <algorithm>

#include "frontends/grammar/grammar_matcher.h"

namespace infer {
namespace {

// A key longer than this costs more than it saves.
constexpr size_t kMaxWords = 4096;

// The count `count` of what may come `min` to `max` times, or `min` if `reach` bytes, each of which
// adds one at most, tell no difference.
uint32_t UsualCount(uint32_t count, uint32_t min, uint32_t max, uint32_t reach) {
  const bool is_far = count >= min && uint64_t{count} + reach + 1 < max;
  return is_far ? min : count;
}

}  // namespace

bool GrammarMatcher::AppendKey(const GrammarState& state, uint32_t reach,
                               std::vector<uint32_t>* key) const {
  key->push_back(state.accepts ? 1 : 0);
  uint32_t last_stack = FrameArena::kBottom;
  for (const GrammarPosition& position : state.positions) {
    uint32_t count = position.b;
    if (position.phase == GrammarPosition::kInside) {
      const StringRule& rule = grammar_->strings[grammar_->nodes[position.node].index];
      if (rule.IsFree()) count = UsualCount(count, rule.min, rule.max, reach);
    }
    const bool same_stack = position.stack == last_stack;
    const uint32_t phase = static_cast<uint32_t>(position.phase) << 1 | (same_stack ? 1 : 0);
    key->insert(key->end(), {position.node, position.a, count, position.c, phase});
    if (!same_stack) AppendStack(position.stack, reach, key);
    last_stack = position.stack;
    if (key->size() > kMaxWords) return false;
  }
  return true;
}

void GrammarMatcher::AppendStack(uint32_t stack, uint32_t reach, std::vector<uint32_t>* key) const {
  for (uint32_t id = stack; id != FrameArena::kBottom; id = frames_[id].parent) {
    const Frame& frame = frames_[id];
    const GrammarNode& node = grammar_->nodes[frame.node];
    uint32_t a = frame.a;
    if (node.kind == GrammarNode::kRepeat) {
      a = UsualCount(a, node.min, node.max, reach);
    } else if (node.kind == GrammarNode::kArray) {
      const ArrayRule& rule = grammar_->arrays[node.index];
      const uint32_t min = std::max(rule.min, static_cast<uint32_t>(rule.prefix.size()));
      a = UsualCount(a, min, rule.max, reach);
    }
    key->insert(key->end(), {frame.node, a, frame.b});
  }
  key->push_back(ObjectRule::kForbidden);  // no node: the end of the stack
}

}  // namespace infer
