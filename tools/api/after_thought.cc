// SPDX-License-Identifier: Apache-2.0
#include "tools/api/after_thought.h"

#include <utility>

#include "tools/api/logit_exceptions.h"

namespace infer {

AfterThought::AfterThought(const AfterThoughtOptions& options,
                           std::shared_ptr<const GrammarVocabulary> vocabulary,
                           std::unique_ptr<TokenConstraint> inner)
    : options_(options),
      vocabulary_(std::move(vocabulary)),
      inner_(std::move(inner)),
      phase_(options.is_open ? kThought : (options.begin ? kFirst : kAnswer)) {
  if (options.begin) begins_ = {*options.begin};
}

std::span<const int32_t> AfterThought::Extras() const {
  if (phase_ == kFirst) return begins_;
  if (phase_ == kAfterThought) return vocabulary_->line_breaks();
  return {};
}

void AfterThought::Force(int64_t most, std::vector<int32_t>* tokens) const {
  if (phase_ == kAnswer) inner_->Force(most, tokens);
}

bool AfterThought::Allows(int32_t token) const {
  if (phase_ == kThought) return options_.may_end || !Contains(vocabulary_->end_ids(), token);
  return Contains(Extras(), token) || inner_->Allows(token);
}

void AfterThought::Refuse(std::span<float> logits) const {
  if (phase_ == kThought) {
    if (!options_.may_end) Exclude(vocabulary_->end_ids(), logits);
    return;
  }
  const LogitExceptions kept(Extras(), logits);
  inner_->Refuse(logits);
}

void AfterThought::Accept(int32_t token) {
  if (phase_ == kThought) {
    if (token == options_.end) phase_ = kAfterThought;
    return;
  }
  if (Contains(Extras(), token)) {
    phase_ = phase_ == kFirst ? kThought : kAnswer;
    return;
  }
  phase_ = kAnswer;
  inner_->Accept(token);
}

}  // namespace infer
