// SPDX-License-Identifier: Apache-2.0
#include "tools/api/thought_budget.h"

#include <utility>

#include "runtime/logit_row.h"

namespace infer {

ThoughtBudget::ThoughtBudget(int64_t budget, const ThoughtTokens& tokens, bool thought_is_open,
                             std::unique_ptr<TokenConstraint> inner)
    : left_(budget), tokens_(tokens), is_open_(thought_is_open), inner_(std::move(inner)) {}

void ThoughtBudget::Force(int64_t most, std::vector<int32_t>* tokens) const {
  if (MustEnd()) {
    if (most > 0) tokens->push_back(tokens_.end);
  } else if (inner_ != nullptr) {
    inner_->Force(most, tokens);
  }
}

bool ThoughtBudget::Allows(int32_t token) const {
  if (MustEnd()) return token == tokens_.end;
  return inner_ == nullptr || inner_->Allows(token);
}

void ThoughtBudget::Refuse(std::span<float> logits) const {
  if (MustEnd()) {
    for (size_t id = 0; id < logits.size(); ++id) {
      if (id != static_cast<size_t>(tokens_.end)) logits[id] = kExcludedLogit;
    }
  } else if (inner_ != nullptr) {
    inner_->Refuse(logits);
  }
}

void ThoughtBudget::Accept(int32_t token) {
  if (token == tokens_.end) {
    is_open_ = false;
  } else if (is_open_) {
    --left_;
  } else if (token == tokens_.begin) {
    is_open_ = true;
  }
  if (inner_ != nullptr) inner_->Accept(token);
}

}  // namespace infer
