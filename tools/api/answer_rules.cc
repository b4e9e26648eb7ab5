// SPDX-License-Identifier: Apache-2.0
#include "tools/api/answer_rules.h"

#include <string_view>
#include <utility>

#include "frontends/grammar/gbnf.h"
#include "frontends/grammar/json_schema.h"
#include "ir/base/status_macros.h"
#include "tools/api/grammar_constraint.h"
#include "tools/api/thought_budget.h"

namespace infer {
namespace {

std::optional<int32_t> SpecialToken(const Vocabulary& vocabulary, std::string_view text) {
  for (int32_t id = 0; id < vocabulary.token_count(); ++id) {
    if (vocabulary.is_special(id) && vocabulary.text(id) == text) return id;
  }
  return std::nullopt;
}

absl::StatusOr<std::shared_ptr<const Grammar>> CompileRules(const AnswerRulesRequest& request) {
  if (!request.json_schema.empty()) return CompileJsonSchema(request.json_schema);
  if (!request.grammar.empty()) return CompileGbnf(request.grammar);
  if (request.json) return AnyJson();
  return nullptr;
}

}  // namespace

absl::StatusOr<AnswerRules> AnswerRules::Create(const AnswerRulesRequest& request,
                                                const Tokenizer* tokenizer,
                                                std::shared_ptr<const GrammarVocabulary>* kept) {
  const Vocabulary& vocabulary = tokenizer->vocabulary();
  AnswerRules rules;
  rules.tokenizer_ = tokenizer;
  rules.think_budget_ = request.think_budget;
  rules.thought_begin_ = SpecialToken(vocabulary, "<think>");
  rules.thought_end_ = SpecialToken(vocabulary, "</think>");
  if (request.think_budget >= 0 && !rules.thought_end_) {
    return absl::InvalidArgumentError(
        "a thought cannot be bounded: the vocabulary has no token </think> that ends one");
  }
  ASSIGN_OR_RETURN(rules.grammar_, CompileRules(request));
  if (rules.grammar_ == nullptr) return rules;
  if (kept != nullptr) rules.vocabulary_ = *kept;
  if (rules.vocabulary_ == nullptr) rules.vocabulary_ = GrammarVocabulary::Create(vocabulary);
  if (kept != nullptr) *kept = rules.vocabulary_;
  return rules;
}

std::unique_ptr<TokenConstraint> AnswerRules::NewConstraint(bool thought_is_open) const {
  std::unique_ptr<TokenConstraint> constraint;
  if (grammar_ != nullptr) {
    constraint = std::make_unique<GrammarConstraint>(
        grammar_, vocabulary_,
        GrammarConstraintOptions{.tokenizer = tokenizer_,
                                 .thought_begin = thought_begin_,
                                 .thought_end = thought_end_,
                                 .thought_is_open = thought_is_open});
  }
  if (think_budget_ < 0) return constraint;
  return std::make_unique<ThoughtBudget>(think_budget_,
                                         ThoughtTokens{thought_begin_, *thought_end_},
                                         thought_is_open, std::move(constraint));
}

}  // namespace infer
