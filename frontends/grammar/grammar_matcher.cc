// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/grammar_matcher.h"

#include <algorithm>

#include "frontends/grammar/partial_char.h"

namespace infer {

GrammarMatcher::GrammarMatcher(std::shared_ptr<const Grammar> grammar)
    : grammar_(std::move(grammar)) {
  Begin(&start_);
  Enter(grammar_->root, FrameArena::kBottom, 0);
  Follow(&start_);
}

void GrammarMatcher::Step(const GrammarState& from, uint8_t byte, GrammarState* to) {
  Begin(to);
  for (const GrammarPosition& position : from.positions) Move(position, byte, to);
}

void GrammarMatcher::StepPosition(const GrammarPosition& position, uint8_t byte, GrammarState* to) {
  Begin(to);
  Move(position, byte, to);
}

void GrammarMatcher::Begin(GrammarState* to) {
  to->Clear();
  pending_.clear();
  next_pending_ = 0;
  seen_pending_.Clear();
  seen_positions_.Clear();
}

void GrammarMatcher::Move(const GrammarPosition& position, uint8_t byte, GrammarState* to) {
  const GrammarNode& node = grammar_->nodes[position.node];
  GrammarPosition next = position;
  switch (node.kind) {
    case GrammarNode::kLiteral: {
      const std::string& text = grammar_->literals[node.index];
      if (static_cast<uint8_t>(text[position.a]) != byte) return;
      if (++next.a < text.size()) return Add(next, to);
      Return(position.stack, 0);
      return Follow(to);
    }
    case GrammarNode::kChar: {
      PartialChar partial = PartialChar::Unpack(position.a);
      const CharStep step = StepUtf8(byte, &partial);
      if (step == CharStep::kRefused) return;
      const CodePointSet& set = grammar_->sets[node.index];
      if (step == CharStep::kPartial) {
        const CodePointRange range = PossibleCodePoints(partial)[0];
        next.a = partial.Packed();
        if (set.Intersects(range.low, range.high)) Add(next, to);
        return;
      }
      if (!set.Contains(partial.value)) return;
      Return(position.stack, 0);
      return Follow(to);
    }
    case GrammarNode::kNumber: {
      const NumberDfa& dfa = grammar_->numbers[node.index];
      const uint16_t state = dfa.Next(static_cast<uint16_t>(position.a), byte);
      if (state == NumberDfa::kDead) return;
      next.a = state;
      Add(next, to);
      if (!dfa.accepts(state)) return;
      Return(position.stack, 0);
      return Follow(to);
    }
    case GrammarNode::kString:
      return StepString(position, byte, to);
    case GrammarNode::kObject:
      return StepObject(position, byte, to);
    case GrammarNode::kArray:
      return StepArray(position, byte, to);
    case GrammarNode::kSequence:
    case GrammarNode::kAlternatives:
    case GrammarNode::kRepeat:
      return;  // never a position
  }
}

void GrammarMatcher::Add(const GrammarPosition& position, GrammarState* to) {
  if (seen_positions_.Has(to->positions, position)) return;
  if (to->positions.size() >= kMaxPositions) {
    reached_limit_ = true;
    return;
  }
  to->positions.push_back(position);
}

std::optional<uint32_t> GrammarMatcher::Push(const Frame& frame) {
  const std::optional<uint32_t> id = frames_.Push(frame);
  if (!id) reached_limit_ = true;
  return id;
}

// Returns false if the limit is reached and nothing can be added for this byte.
bool GrammarMatcher::Queue(const Pending& pending) {
  if (seen_pending_.Has(pending_, pending)) return true;
  if (pending_.size() >= kMaxFollowed) {
    reached_limit_ = true;
    return false;
  }
  pending_.push_back(pending);
  return true;
}

bool GrammarMatcher::Enter(uint32_t node, uint32_t stack, uint32_t fresh) {
  return Queue({Pending::kEnter, node, stack, fresh});
}

void GrammarMatcher::Return(uint32_t stack, uint32_t fresh) {
  Queue({Pending::kReturn, 0, stack, fresh});
}

void GrammarMatcher::Follow(GrammarState* to) {
  while (next_pending_ < pending_.size()) {
    const Pending pending = pending_[next_pending_++];
    ++followed_;
    if (pending.kind == Pending::kEnter) {
      FollowEnter(pending, to);
    } else {
      FollowReturn(pending, to);
    }
  }
}

void GrammarMatcher::FollowEnter(const Pending& pending, GrammarState* to) {
  const GrammarNode& node = grammar_->nodes[pending.node];
  switch (node.kind) {
    case GrammarNode::kSequence:
      if (node.children.empty()) return Return(pending.stack, pending.fresh);
      return ContinueSequence(pending.node, 0, pending.stack, pending.fresh);
    case GrammarNode::kAlternatives:
      for (const GrammarNodeId child : node.children) {
        if (!Enter(child, pending.stack, pending.fresh)) return;
      }
      return;
    case GrammarNode::kRepeat:
      return ContinueRepeat(pending.node, 0, pending.stack, pending.fresh);
    case GrammarNode::kLiteral:
      if (grammar_->literals[node.index].empty()) return Return(pending.stack, pending.fresh);
      break;
    default:
      break;
  }
  Add({.node = pending.node, .stack = pending.stack}, to);
}

void GrammarMatcher::FollowReturn(const Pending& pending, GrammarState* to) {
  if (pending.stack == FrameArena::kBottom) {
    to->accepts = true;
    return;
  }
  const Frame frame = frames_[pending.stack];
  const uint32_t fresh = pending.fresh == 0 ? 0 : pending.fresh - 1;
  switch (grammar_->nodes[frame.node].kind) {
    case GrammarNode::kSequence:
      return ContinueSequence(frame.node, frame.a, frame.parent, fresh);
    case GrammarNode::kRepeat:
      // A round that read nothing leads nowhere new.
      if (pending.fresh == 0) ContinueRepeat(frame.node, frame.a + 1, frame.parent, 0);
      return;
    default:
      return Add({.node = frame.node, .stack = pending.stack, .phase = GrammarPosition::kAfter},
                 to);
  }
}

void GrammarMatcher::ContinueSequence(uint32_t node, uint32_t child, uint32_t stack,
                                      uint32_t fresh) {
  const std::vector<GrammarNodeId>& children = grammar_->nodes[node].children;
  // The last child returns to whoever waits for the sequence, so that recursion at the end of a
  // rule needs no stack.
  if (child + 1 == children.size()) {
    Enter(children[child], stack, fresh);
    return;
  }
  if (const auto frame = Push({stack, node, child + 1, 0})) {
    Enter(children[child], *frame, fresh + 1);
  }
}

void GrammarMatcher::ContinueRepeat(uint32_t node, uint32_t count, uint32_t stack, uint32_t fresh) {
  const GrammarNode& repeat = grammar_->nodes[node];
  // Without an upper bound only the way to the lower one counts.
  if (repeat.max == kNoLimit) count = std::min(count, repeat.min);
  const GrammarNodeId child = repeat.children[0];
  if (count >= repeat.min || grammar_->nodes[child].is_nullable) Return(stack, fresh);
  if (count >= repeat.max) return;
  if (const auto frame = Push({stack, node, count, 0})) Enter(child, *frame, fresh + 1);
}

void GrammarMatcher::Compact(GrammarState* state) {
  FrameArena former = std::exchange(frames_, FrameArena());
  for (GrammarPosition& position : state->positions) {
    std::vector<Frame> path;
    for (uint32_t id = position.stack; id != FrameArena::kBottom; id = former[id].parent) {
      path.push_back(former[id]);
    }
    position.stack = FrameArena::kBottom;
    for (auto frame = path.rbegin(); frame != path.rend(); ++frame) {
      frame->parent = position.stack;
      position.stack = *frames_.Push(*frame);
    }
  }
  Begin(&start_);
  Enter(grammar_->root, FrameArena::kBottom, 0);
  Follow(&start_);
}

}  // namespace infer
