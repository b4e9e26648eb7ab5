// SPDX-License-Identifier: Apache-2.0
#include "tools/api/grammar_constraint.h"

#include <algorithm>
#include <string>
#include <utility>

#include "frontends/grammar/forced_tokens.h"
#include "runtime/logit_row.h"

namespace infer {
namespace {

constexpr size_t kTailTokens = 16;
constexpr size_t kMaxForcedBytes = 64;

void RefuseAllBut(const TokenMask& mask, std::span<float> logits) {
  const std::vector<uint64_t>& words = mask.words();
  for (size_t begin = 0; begin < logits.size(); begin += 64) {
    const uint64_t word = begin / 64 < words.size() ? words[begin / 64] : 0;
    if (word == ~uint64_t{0}) continue;
    const size_t end = std::min(begin + 64, logits.size());
    for (size_t i = begin; i < end; ++i) {
      if ((word >> (i - begin) & 1) == 0) logits[i] = kExcludedLogit;
    }
  }
}

}  // namespace

GrammarConstraint::GrammarConstraint(std::shared_ptr<const Grammar> grammar,
                                     std::shared_ptr<const GrammarVocabulary> vocabulary,
                                     const GrammarConstraintOptions& options)
    : options_(options), phase_(kBound), matcher_(std::move(grammar), std::move(vocabulary)) {
  if (options.thought_end) {
    if (options.thought_is_open) {
      phase_ = kThought;
    } else if (options.thought_begin) {
      phase_ = kFirst;
    }
  }
  if (phase_ == kBound) return;
  for (int32_t id = 0; id < matcher_.vocabulary().token_count(); ++id) {
    const std::string_view bytes = matcher_.vocabulary().bytes(id);
    if (bytes == "\n" || bytes == "\n\n") line_breaks_.push_back(id);
  }
}

bool GrammarConstraint::IsEnd(int32_t token) const {
  const std::vector<int32_t>& ids = matcher_.vocabulary().end_ids();
  return std::ranges::find(ids, token) != ids.end();
}

bool GrammarConstraint::IsExtra(int32_t token) const {
  if (phase_ == kFirst) return token == options_.thought_begin;
  return phase_ == kAfterThought && std::ranges::find(line_breaks_, token) != line_breaks_.end();
}

bool GrammarConstraint::Allows(int32_t token) const {
  // A text that ends within its thought has no answer.
  if (phase_ == kThought) return !IsEnd(token);
  return IsExtra(token) || matcher_.Allows(token);
}

void GrammarConstraint::Refuse(std::span<float> logits) const {
  if (phase_ == kThought) {
    for (const int32_t id : matcher_.vocabulary().end_ids()) {
      if (static_cast<size_t>(id) < logits.size()) logits[static_cast<size_t>(id)] = kExcludedLogit;
    }
    return;
  }
  if (phase_ == kBound) return RefuseAllBut(matcher_.Mask(), logits);
  TokenMask mask = matcher_.Mask();
  if (phase_ == kFirst) mask.Add(*options_.thought_begin);
  if (phase_ == kAfterThought) {
    for (const int32_t id : line_breaks_) mask.Add(id);
  }
  RefuseAllBut(mask, logits);
}

void GrammarConstraint::Accept(int32_t token) {
  if (phase_ == kThought) {
    if (token == options_.thought_end) phase_ = kAfterThought;
    return;
  }
  if (phase_ != kBound && IsExtra(token)) {
    phase_ = phase_ == kFirst ? kThought : kBound;
    return;
  }
  phase_ = kBound;
  matcher_.Accept(token);
  if (tail_.size() == kTailTokens) tail_.erase(tail_.begin());
  tail_.push_back(token);
  if (forced_ && !forced_->empty() && forced_->front() == token) {
    forced_->erase(forced_->begin());
    if (!forced_->empty()) return;
  }
  forced_.reset();
}

void GrammarConstraint::Force(int64_t most, std::vector<int32_t>* tokens) const {
  if (phase_ != kBound || options_.tokenizer == nullptr) return;
  if (!forced_) {
    std::string text;
    matcher_.AppendForcedText(kMaxForcedBytes, &text);
    forced_.emplace();
    if (!text.empty()) *forced_ = CanonicalTokens(*options_.tokenizer, tail_, text);
  }
  const auto count = std::min(most, static_cast<int64_t>(forced_->size()));
  tokens->insert(tokens->end(), forced_->begin(), forced_->begin() + count);
}

}  // namespace infer
