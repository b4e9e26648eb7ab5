// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/token_constraint.h"

namespace infer {

struct ThoughtTokens {
  std::optional<int32_t> begin;  // not set: only a thought that the prompt has opened counts
  int32_t end = 0;
};

// Ends the thought of an answer with the model's own end token once it has `budget` tokens; the
// rest is up to `inner`, which may be null.
class ThoughtBudget final : public TokenConstraint {
 public:
  ThoughtBudget(int64_t budget, const ThoughtTokens& tokens, bool thought_is_open,
                std::unique_ptr<TokenConstraint> inner);

  void Force(int64_t most, std::vector<int32_t>* tokens) const override;
  bool Allows(int32_t token) const override;
  void Refuse(std::span<float> logits) const override;
  void Accept(int32_t token) override;

 private:
  bool MustEnd() const { return is_open_ && left_ <= 0; }

  int64_t left_;
  ThoughtTokens tokens_;
  bool is_open_;
  std::unique_ptr<TokenConstraint> inner_;
};

}  // namespace infer
