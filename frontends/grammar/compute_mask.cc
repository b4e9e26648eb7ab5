// SPDX-License-Identifier: Apache-2.0
//
// How a TokenMatcher finds all tokens that can come next.
#include <algorithm>
#include <utility>

#include "frontends/grammar/byte_kind.h"
#include "frontends/grammar/token_matcher.h"

namespace infer {

bool TokenMatcher::FindMask() {
  if (mask_is_current_) return true;
  key_.clear();
  const auto reach = static_cast<uint32_t>(vocabulary_->trie().max_depth());
  if (!matcher_.AppendKey(state_, reach, &key_)) {
    key_.clear();
    return false;
  }
  std::shared_ptr<const TokenMask> found = masks_->Find(key_);
  if (found == nullptr) return false;
  mask_ = std::move(found);
  mask_is_current_ = true;
  ++counts_.cached;
  return true;
}

const TokenMask& TokenMatcher::Mask() {
  if (FindMask()) return *mask_;
  ++counts_.computed;
  mask_ = std::make_shared<const TokenMask>(ComputeMask());
  mask_is_current_ = true;
  // What a limit of this matcher cuts off may be possible for another.
  if (!key_.empty() && !reached_limit()) masks_->Insert(key_, mask_);
  return *mask_;
}

// A token is allowed if any position allows it. Strings, which allow most of the vocabulary, are
// not walked.
TokenMask TokenMatcher::ComputeMask() {
  TokenMask mask(vocabulary_->token_count());
  walk_limit_ = matcher_.followed() + kFollowedPerNode * vocabulary_->trie().nodes().size();
  GrammarState others;
  for (const GrammarPosition& position : state_.positions) {
    if (!AddString(position, &mask)) others.positions.push_back(position);
  }
  if (!others.positions.empty()) {
    Walk(vocabulary_->trie(), others, [&](int32_t token) { mask.Add(token); });
  }
  for (const auto& [token, twin] : vocabulary_->trie().duplicates()) {
    if (mask.Contains(token)) mask.Add(twin);
  }
  if (state_.accepts) {
    for (const int32_t id : vocabulary_->end_ids()) mask.Add(id);
  }
  return mask;
}

// Returns false if the position is not between two characters of a string that may hold any.
bool TokenMatcher::AddString(const GrammarPosition& position, TokenMask* mask) {
  if (position.a != 0) return false;
  const Grammar& grammar = matcher_.grammar();
  const GrammarNode& node = grammar.nodes[position.node];
  if (position.phase == GrammarPosition::kInside) {
    const StringRule& rule = grammar.strings[node.index];
    if (!rule.IsFree()) return false;
    AddFreeString(position, rule, mask);
    return true;
  }
  if (position.phase != GrammarPosition::kKey || !matcher_.KeysAt(position).additional) {
    return false;
  }
  // Every key can become one that differs from all named ones, as long as it is not closed.
  vocabulary_->strings().AddInside(kNoLimit, mask);
  GrammarState from;
  from.positions = {position};
  Walk(vocabulary_->strings().whole_closers(), from, [&](int32_t token) { mask->Add(token); });
  return true;
}

void TokenMatcher::AddFreeString(const GrammarPosition& position, const StringRule& rule,
                                 TokenMask* mask) {
  const StringTokens& strings = vocabulary_->strings();
  strings.AddInside(rule.max == kNoLimit ? kNoLimit : rule.max - position.b, mask);
  const auto add = [&](const std::vector<StringTokens::Closer>& closers) {
    for (const StringTokens::Closer& closer : closers) {
      const uint64_t length = uint64_t{position.b} + closer.characters;
      if (length >= rule.min && length <= rule.max) mask->Add(closer.token);
    }
  };
  // What follows the quote does not depend on the length.
  GrammarPosition end = position;
  end.b = std::max(position.b, rule.min);
  GrammarState closed;
  matcher_.StepPosition(end, '"', &closed);
  if (closed.IsDead()) return;
  add(strings.plain_closers());
  Walk(strings.after_quote(), closed,
       [&](int32_t group) { add(strings.closers()[static_cast<size_t>(group)]); });
}

// Calls `on_token` for each string of the tree that can follow `from`.
template <class OnToken>
void TokenMatcher::Walk(const TokenTrie& trie, const GrammarState& from, const OnToken& on_token) {
  const bool in_string = IsInString(from);
  if (in_string) {
    walk_positions_[0] = from.positions[0];
  } else {
    walk_states_[0] = from;
  }
  matcher_.NextBytes(from).ForEach([&](uint8_t byte) {
    const uint32_t child = trie.root_children()[byte];
    if (child == TokenTrie::kNoNode) return;
    const size_t end = child + trie.nodes()[child].skip;
    if (in_string) {
      WalkString(trie, child, end, 0, on_token);
    } else {
      WalkNodes(trie, child, end, 0, on_token);
    }
  });
}

// The nodes below a node with many children, of which walk_states_[depth] allows few.
template <class OnToken>
void TokenMatcher::WalkChildren(const TokenTrie& trie, const TokenTrie::Children& children,
                                size_t depth, const OnToken& on_token) {
  matcher_.NextBytes(walk_states_[depth]).ForEach([&](uint8_t byte) {
    const uint32_t child = children[byte];
    if (child == TokenTrie::kNoNode) return;
    WalkNodes(trie, child, child + trie.nodes()[child].skip, depth, on_token);
  });
}

template <class OnToken>
void TokenMatcher::WalkNodes(const TokenTrie& trie, size_t begin, size_t end, size_t depth,
                             const OnToken& on_token) {
  const std::vector<TokenTrie::Node>& nodes = trie.nodes();
  walk_ends_[depth] = end;
  for (size_t i = begin; i < end;) {
    while (i >= walk_ends_[depth]) --depth;
    if (matcher_.followed() > walk_limit_) {
      reached_walk_limit_ = true;
      return;
    }
    const TokenTrie::Node node = nodes[i];
    GrammarState& next = walk_states_[depth + 1];
    matcher_.Step(walk_states_[depth], static_cast<uint8_t>(node.byte), &next);
    if (next.IsDead()) {
      i += node.skip;
      continue;
    }
    if (node.token != TokenTrie::kNoToken) on_token(node.token);
    if (IsInString(next)) {
      walk_positions_[depth + 1] = next.positions[0];
      WalkString(trie, i + 1, i + node.skip, depth + 1, on_token);
      i += node.skip;
      continue;
    }
    if (const TokenTrie::Children* children = trie.children(i)) {
      WalkChildren(trie, *children, depth + 1, on_token);
      i += node.skip;
      continue;
    }
    walk_ends_[++depth] = i + node.skip;
    ++i;
  }
}

template <class OnToken>
void TokenMatcher::WalkString(const TokenTrie& trie, size_t begin, size_t end, size_t depth,
                              const OnToken& on_token) {
  const std::vector<TokenTrie::Node>& nodes = trie.nodes();
  const Grammar& grammar = matcher_.grammar();
  const StringRule& rule = grammar.strings[grammar.nodes[walk_positions_[depth].node].index];
  walk_ends_[depth] = end;
  for (size_t i = begin; i < end;) {
    while (i >= walk_ends_[depth]) --depth;
    const TokenTrie::Node node = nodes[i];
    const GrammarPosition& from = walk_positions_[depth];
    const auto byte = static_cast<uint8_t>(node.byte);
    if (byte == '"' && from.a == 0) {
      GrammarState& closed = walk_states_[depth + 1];
      matcher_.StepPosition(from, byte, &closed);
      if (!closed.IsDead()) {
        if (node.token != TokenTrie::kNoToken) on_token(node.token);
        WalkNodes(trie, i + 1, i + node.skip, depth + 1, on_token);
      }
      i += node.skip;
      continue;
    }
    GrammarPosition& next = walk_positions_[depth + 1];
    next = from;
    if (!matcher_.StepInside(rule, byte, &next)) {
      i += node.skip;
      continue;
    }
    if (node.token != TokenTrie::kNoToken) on_token(node.token);
    if (node.skip > 1 && GoesOnWithAll(rule, next, trie.below(i))) {
      for (size_t below = i + 1; below < i + node.skip; ++below) {
        if (nodes[below].token != TokenTrie::kNoToken) on_token(nodes[below].token);
      }
      i += node.skip;
      continue;
    }
    walk_ends_[++depth] = i + node.skip;
    ++i;
  }
}

bool TokenMatcher::GoesOnWithAll(const StringRule& rule, const GrammarPosition& position,
                                 const TokenTrie::Below& below) const {
  if (position.a != 0 || rule.set || position.b < rule.min || below.height == 255) return false;
  uint32_t left = kNoLimit;
  if (rule.max != kNoLimit) {
    if (position.b + below.height > rule.max) return false;
    left = rule.max - position.b - below.height;
  }
  if (!rule.pattern) return (below.kinds & ~kPlainKinds) == 0;
  const PatternDfa& dfa = matcher_.grammar().patterns[*rule.pattern];
  return (below.kinds & ~dfa.loops(position.c)) == 0 && dfa.CanEndWithin(position.c, 0, left);
}

}  // namespace infer
