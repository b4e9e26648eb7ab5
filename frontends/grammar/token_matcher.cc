// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/token_matcher.h"

#include <algorithm>
#include <optional>

#include "absl/hash/hash.h"
#include "frontends/grammar/byte_kind.h"

namespace infer {
namespace {

constexpr size_t kManyFrames = size_t{1} << 16;

}  // namespace

size_t TokenMatcher::StateHash::operator()(const std::vector<GrammarPosition>& positions) const {
  return absl::Hash<std::vector<GrammarPosition>>()(positions);
}

TokenMatcher::TokenMatcher(std::shared_ptr<const Grammar> grammar,
                           std::shared_ptr<const GrammarVocabulary> vocabulary)
    : vocabulary_(std::move(vocabulary)), matcher_(std::move(grammar)), state_(matcher_.start()) {
  const size_t depth = vocabulary_->trie().max_depth() + 2;
  walk_states_.resize(depth);
  walk_positions_.resize(depth);
  walk_ends_.resize(depth);
}

bool TokenMatcher::IsEnd(int32_t token) const {
  return std::ranges::find(vocabulary_->end_ids(), token) != vocabulary_->end_ids().end();
}

// Leaves the state after `bytes` in `to`, one of the two scratch states.
bool TokenMatcher::Follow(std::string_view bytes, GrammarState* to) {
  GrammarState* from = to == &scratch_[0] ? &scratch_[1] : &scratch_[0];
  size_t at = 0;
  if (IsInString(state_)) {
    // Most bytes inside a string lead from one position to one position.
    GrammarPosition position = state_.positions[0];
    const Grammar& grammar = matcher_.grammar();
    const StringRule& rule = grammar.strings[grammar.nodes[position.node].index];
    for (; at < bytes.size() && !(bytes[at] == '"' && position.a == 0); ++at) {
      if (!matcher_.StepInside(rule, static_cast<uint8_t>(bytes[at]), &position)) return false;
    }
    to->Clear();
    to->positions.push_back(position);
  } else {
    matcher_.Step(state_, static_cast<uint8_t>(bytes[0]), to);
    if (to->IsDead()) return false;
    at = 1;
  }
  for (; at < bytes.size(); ++at) {
    std::swap(*from, *to);
    matcher_.Step(*from, static_cast<uint8_t>(bytes[at]), to);
    if (to->IsDead()) return false;
  }
  return true;
}

bool TokenMatcher::Allows(int32_t token) {
  if (token < 0 || token >= vocabulary_->token_count()) return false;
  const std::string_view bytes = vocabulary_->bytes(token);
  if (bytes.empty()) return state_.accepts && IsEnd(token);
  FirstByte& first = first_bytes_[static_cast<uint8_t>(bytes[0])];
  if (first == FirstByte::kUnknown) {
    first = Follow(bytes.substr(0, 1), &scratch_[0]) ? FirstByte::kAllowed : FirstByte::kRefused;
  }
  if (first == FirstByte::kRefused) return false;
  return bytes.size() == 1 || Follow(bytes, &scratch_[0]);
}

bool TokenMatcher::Accept(int32_t token) {
  ForgetFirstBytes();
  if (token >= 0 && token < vocabulary_->token_count()) {
    const std::string_view bytes = vocabulary_->bytes(token);
    if (bytes.empty() && state_.accepts && IsEnd(token)) return true;
    if (!bytes.empty() && Follow(bytes, &scratch_[0])) {
      std::swap(state_, scratch_[0]);
      if (matcher_.frames() > kManyFrames) {
        matcher_.Compact(&state_);
        masks_.clear();
        counts_.bytes = 0;
      }
      return true;
    }
  }
  state_.Clear();
  return false;
}

const TokenMask& TokenMatcher::Mask() {
  const auto found = masks_.find(state_.positions);
  if (found != masks_.end()) {
    ++counts_.cached;
    mask_ = found->second;
  } else {
    ++counts_.computed;
    if (masks_.size() >= kCachedMasks) {
      masks_.clear();
      counts_.bytes = 0;
    }
    mask_ = ComputeMask();
    masks_.emplace(state_.positions, mask_);
    counts_.bytes += mask_.bytes();
  }
  // Whether the text may end does not follow from the positions.
  if (state_.accepts) {
    for (const int32_t id : vocabulary_->end_ids()) mask_.Add(id);
  }
  return mask_;
}

// A token is allowed if any position allows it. Strings, which allow most of the vocabulary, are
// not walked.
TokenMask TokenMatcher::ComputeMask() {
  TokenMask mask(vocabulary_->token_count());
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

bool TokenMatcher::IsInString(const GrammarState& state) const {
  return state.positions.size() == 1 && state.positions[0].phase == GrammarPosition::kInside;
}

// Calls `on_token` for each string of the tree that can follow `from`.
template <class OnToken>
void TokenMatcher::Walk(const TokenTrie& trie, const GrammarState& from, const OnToken& on_token) {
  if (IsInString(from)) {
    walk_positions_[0] = from.positions[0];
    return WalkString(trie, 0, trie.nodes().size(), 0, on_token);
  }
  walk_states_[0] = from;
  WalkNodes(trie, 0, trie.nodes().size(), 0, on_token);
}

template <class OnToken>
void TokenMatcher::WalkNodes(const TokenTrie& trie, size_t begin, size_t end, size_t depth,
                             const OnToken& on_token) {
  const std::vector<TokenTrie::Node>& nodes = trie.nodes();
  walk_ends_[depth] = end;
  for (size_t i = begin; i < end;) {
    while (i >= walk_ends_[depth]) --depth;
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
      closed.Clear();
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

void TokenMatcher::AppendForcedText(size_t most_bytes, std::string* text) {
  scratch_[0] = state_;
  for (size_t i = 0; i < most_bytes; ++i) {
    const std::optional<uint8_t> byte = matcher_.OnlyByte(scratch_[0]);
    if (!byte) return;
    matcher_.Step(scratch_[0], *byte, &scratch_[1]);
    if (scratch_[1].IsDead()) return;
    text->push_back(static_cast<char>(*byte));
    std::swap(scratch_[0], scratch_[1]);
  }
}

}  // namespace infer
