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

GrammarConstraint::GrammarConstraint(const SharedGrammar& shared)
    : tokenizer_(shared.tokenizer), matcher_(shared.grammar, shared.vocabulary, shared.masks) {}

bool GrammarConstraint::Allows(int32_t token) const { return matcher_.Allows(token); }

void GrammarConstraint::Refuse(std::span<float> logits) const {
  RefuseAllBut(matcher_.Mask(), logits);
}

void GrammarConstraint::Accept(int32_t token) {
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
  if (tokenizer_ == nullptr) return;
  if (!forced_) {
    std::string text;
    matcher_.AppendForcedText(kMaxForcedBytes, &text);
    forced_.emplace();
    if (!text.empty()) *forced_ = CanonicalTokens(*tokenizer_, tail_, text);
  }
  const auto count = std::min(most, static_cast<int64_t>(forced_->size()));
  tokens->insert(tokens->end(), forced_->begin(), forced_->begin() + count);
}

}  // namespace infer
