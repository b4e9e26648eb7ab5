// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "frontends/grammar/grammar_vocabulary.h"
#include "runtime/token_constraint.h"

namespace infer {

struct AfterThoughtOptions {
  std::optional<int32_t> begin = {};  // may come first; not set: only the prompt opens thoughts
  int32_t end = 0;
  bool is_open = false;  // the prompt ended within the thought
  bool may_end = false;  // whether a text may end within its thought, without an answer
};

// Leaves the thought of an answer alone: `inner` begins after it. The lines that models write
// between the two belong to neither.
class AfterThought final : public TokenConstraint {
 public:
  AfterThought(const AfterThoughtOptions& options,
               std::shared_ptr<const GrammarVocabulary> vocabulary,
               std::unique_ptr<TokenConstraint> inner);

  void Force(int64_t most, std::vector<int32_t>* tokens) const override;
  bool Allows(int32_t token) const override;
  void Refuse(std::span<float> logits) const override;
  void Accept(int32_t token) override;

 private:
  // kFirst: nothing was generated yet, and a thought may begin. kAfterThought: its end was the last
  // token.
  enum Phase { kFirst, kThought, kAfterThought, kAnswer };

  // Tokens that are allowed in this phase beside those of `inner_`.
  std::span<const int32_t> Extras() const;

  AfterThoughtOptions options_;
  std::shared_ptr<const GrammarVocabulary> vocabulary_;
  std::unique_ptr<TokenConstraint> inner_;
  std::vector<int32_t> begins_;
  Phase phase_;
};

}  // namespace infer
