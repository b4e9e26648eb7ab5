// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "frontends/grammar/grammar.h"
#include "frontends/grammar/mask_cache.h"
#include "frontends/grammar/token_matcher.h"
#include "frontends/tokenizer/tokenizer.h"
#include "runtime/token_constraint.h"

namespace infer {

// A grammar, and what all texts that follow it have in common.
struct SharedGrammar {
  std::shared_ptr<const Grammar> grammar;
  std::shared_ptr<const GrammarVocabulary> vocabulary;
  // Finds forced tokens; must outlive the constraints. Null: none are forced.
  const Tokenizer* tokenizer = nullptr;
  std::shared_ptr<MaskCache> masks = nullptr;  // null: each text has its own
};

// A grammar as the runtime sees it. Frontends and runtime do not include each other, so they are
// joined here. Follows one text.
class GrammarConstraint final : public TokenConstraint {
 public:
  explicit GrammarConstraint(const SharedGrammar& shared);

  void Force(int64_t most, std::vector<int32_t>* tokens) const override;
  bool Allows(int32_t token) const override;
  void Refuse(std::span<float> logits) const override;
  void Accept(int32_t token) override;

  // Whether the text so far is a whole one.
  bool IsComplete() const { return matcher_.accepts(); }
  const TokenMatcher::MaskCounts& mask_counts() const { return matcher_.counts(); }

 private:
  const Tokenizer* tokenizer_;
  mutable TokenMatcher matcher_;                        // has room for the states that it tries
  std::vector<int32_t> tail_;                           // the last tokens
  mutable std::optional<std::vector<int32_t>> forced_;  // what follows, once it was asked for
};

}  // namespace infer
