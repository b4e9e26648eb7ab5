// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/token_matcher.h"

#include <algorithm>
#include <optional>

namespace infer {
namespace {

constexpr size_t kManyFrames = size_t{1} << 16;

}  // namespace

TokenMatcher::TokenMatcher(std::shared_ptr<const Grammar> grammar,
                           std::shared_ptr<const GrammarVocabulary> vocabulary,
                           std::shared_ptr<MaskCache> masks)
    : vocabulary_(std::move(vocabulary)),
      matcher_(std::move(grammar)),
      state_(matcher_.start()),
      masks_(masks != nullptr ? std::move(masks) : std::make_shared<MaskCache>()) {
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
  if (mask_is_current_ || (++asked_ == kFewTokens && FindMask())) return mask_->Contains(token);
  const std::string_view bytes = vocabulary_->bytes(token);
  if (bytes.empty()) return state_.accepts && IsEnd(token);
  if (!next_bytes_) next_bytes_ = matcher_.NextBytes(state_);
  return next_bytes_->Contains(static_cast<uint8_t>(bytes[0])) && Follow(bytes, &scratch_[0]);
}

bool TokenMatcher::Accept(int32_t token) {
  asked_ = 0;
  next_bytes_.reset();
  mask_is_current_ = false;
  if (token >= 0 && token < vocabulary_->token_count()) {
    const std::string_view bytes = vocabulary_->bytes(token);
    if (bytes.empty() && state_.accepts && IsEnd(token)) return true;
    if (!bytes.empty() && Follow(bytes, &scratch_[0])) {
      std::swap(state_, scratch_[0]);
      if (matcher_.frames() > kManyFrames) matcher_.Compact(&state_);
      return true;
    }
  }
  state_.Clear();
  return false;
}

bool TokenMatcher::IsInString(const GrammarState& state) const {
  return state.positions.size() == 1 && state.positions[0].phase == GrammarPosition::kInside;
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
