// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "frontends/grammar/grammar.h"
#include "frontends/grammar/token_matcher.h"
#include "frontends/tokenizer/tokenizer.h"
#include "runtime/token_constraint.h"

namespace infer {

struct GrammarConstraintOptions {
  // Finds forced tokens; must outlive the constraint. Null: none are forced.
  const Tokenizer* tokenizer = nullptr;
  // A thought is not bound by the grammar, which begins after it. `thought_begin` may come first,
  // or the prompt has opened the thought already.
  std::optional<int32_t> thought_begin = {};
  std::optional<int32_t> thought_end = {};
  bool thought_is_open = false;
};

// A grammar as the runtime sees it. Frontends and runtime do not include each other, so they are
// joined here. Follows one text.
class GrammarConstraint final : public TokenConstraint {
 public:
  GrammarConstraint(std::shared_ptr<const Grammar> grammar,
                    std::shared_ptr<const GrammarVocabulary> vocabulary,
                    const GrammarConstraintOptions& options = {});

  void Force(int64_t most, std::vector<int32_t>* tokens) const override;
  bool Allows(int32_t token) const override;
  void Refuse(std::span<float> logits) const override;
  void Accept(int32_t token) override;

  // Whether the text so far is a whole one.
  bool IsComplete() const { return phase_ >= kAfterThought && matcher_.accepts(); }
  const TokenMatcher::MaskCounts& mask_counts() const { return matcher_.counts(); }

 private:
  // kFirst: nothing was generated yet, and a thought may begin. kAfterThought: its end was the last
  // token, and models write empty lines after it.
  enum Phase { kFirst, kThought, kAfterThought, kBound };

  bool IsEnd(int32_t token) const;
  // Tokens that are allowed in this phase beside those of the grammar.
  bool IsExtra(int32_t token) const;

  GrammarConstraintOptions options_;
  std::vector<int32_t> line_breaks_;
  Phase phase_;
  mutable TokenMatcher matcher_;                        // has room for the states that it tries
  std::vector<int32_t> tail_;                           // the last tokens
  mutable std::optional<std::vector<int32_t>> forced_;  // what follows, once it was asked for
};

}  // namespace infer
