// SPDX-License-Identifier: Apache-2.0
//
// What an answer must keep to: a grammar, and a bound on its thought.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "frontends/grammar/grammar.h"
#include "frontends/grammar/grammar_vocabulary.h"
#include "frontends/tokenizer/tokenizer.h"
#include "runtime/token_constraint.h"

namespace infer {

struct AnswerRulesRequest {
  std::string json_schema = {};  // text; at most one of the three is set
  std::string grammar = {};      // text, GBNF
  bool json = false;             // any JSON value
  int64_t think_budget = -1;     // tokens; -1: no bound
  bool any() const { return json || think_budget >= 0 || !json_schema.empty() || !grammar.empty(); }
};

// The rules of many answers of one model. Immutable.
class AnswerRules {
 public:
  // `tokenizer` must outlive the rules and their constraints. Errors name the place in the schema
  // or grammar. A bound on thoughts is refused if the model has no token that ends one.
  // `vocabulary` is kept for the next rules of the model: making it takes 0.1 s. It is made here if
  // a grammar needs it and it is null.
  static absl::StatusOr<AnswerRules> Create(
      const AnswerRulesRequest& request, const Tokenizer* tokenizer,
      std::shared_ptr<const GrammarVocabulary>* vocabulary = nullptr);

  // Returns the constraint of one answer. `thought_is_open`: the prompt ended with <think>.
  std::unique_ptr<TokenConstraint> NewConstraint(bool thought_is_open) const;

 private:
  const Tokenizer* tokenizer_ = nullptr;
  std::shared_ptr<const Grammar> grammar_;  // null: any text
  std::shared_ptr<const GrammarVocabulary> vocabulary_;
  int64_t think_budget_ = -1;
  std::optional<int32_t> thought_begin_;
  std::optional<int32_t> thought_end_;
};

}  // namespace infer
