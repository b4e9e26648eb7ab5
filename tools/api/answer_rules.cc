// SPDX-License-Identifier: Apache-2.0
#include "tools/api/answer_rules.h"

#include <string_view>
#include <utility>

#include "frontends/chat/tool_call_text.h"
#include "frontends/grammar/gbnf.h"
#include "frontends/grammar/json_schema.h"
#include "ir/base/status_macros.h"
#include "tools/api/after_thought.h"
#include "tools/api/thought_budget.h"
#include "tools/api/tool_rules.h"

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
  return AnyJson();
}

}  // namespace

absl::StatusOr<AnswerRules> AnswerRules::Create(const AnswerRulesRequest& request,
                                                const Tokenizer* tokenizer,
                                                std::shared_ptr<const GrammarVocabulary>* kept) {
  const Vocabulary& vocabulary = tokenizer->vocabulary();
  AnswerRules rules;
  rules.tokenizer_ = tokenizer;
  rules.think_budget_ = request.think_budget;
  rules.may_think_ = request.may_think;
  rules.thought_begin_ = SpecialToken(vocabulary, "<think>");
  rules.thought_end_ = SpecialToken(vocabulary, "</think>");
  if (request.think_budget >= 0 && !rules.thought_end_) {
    return absl::InvalidArgumentError(
        "a thought cannot be bounded: the vocabulary has no token </think> that ends one");
  }
  if (!request.has_grammar() && !request.binds_tools()) return rules;
  if (kept != nullptr) rules.vocabulary_ = *kept;
  if (rules.vocabulary_ == nullptr) rules.vocabulary_ = GrammarVocabulary::Create(vocabulary);
  if (kept != nullptr) *kept = rules.vocabulary_;
  if (request.has_grammar()) {
    ASSIGN_OR_RETURN(std::shared_ptr<const Grammar> grammar, CompileRules(request));
    rules.content_ = {std::move(grammar), rules.vocabulary_, tokenizer,
                      std::make_shared<MaskCache>()};
  }
  if (request.binds_tools()) RETURN_IF_ERROR(rules.AddTools(request));
  return rules;
}

absl::Status AnswerRules::AddTools(const AnswerRulesRequest& request) {
  const auto begin = SpecialToken(tokenizer_->vocabulary(), kToolCallOpen);
  const auto end = SpecialToken(tokenizer_->vocabulary(), kToolCallClose);
  if (!begin || !end) {
    if (request.tool_choice == ToolChoice::kRequired) {
      return absl::InvalidArgumentError(
          "calls cannot be required: the vocabulary has no tokens <tool_call> and </tool_call>");
    }
    warnings_.push_back("calls are not bound: the vocabulary has no tokens for them");
    return absl::OkStatus();
  }
  tools_ = {.call_begin = *begin,
            .call_end = *end,
            .choice = request.tool_choice,
            .several = request.parallel_tool_calls && request.tool_name.empty()};
  calls_ = {nullptr, vocabulary_, tokenizer_, std::make_shared<MaskCache>()};
  if (request.tool_choice == ToolChoice::kNone) return absl::OkStatus();
  ASSIGN_OR_RETURN(ToolRules calls, CompileToolRules({.tools = request.tools,
                                                      .only = request.tool_name,
                                                      .bind_arguments = request.bind_arguments,
                                                      .form = request.tool_form}));
  calls_.grammar = std::move(calls.grammar);
  warnings_ = std::move(calls.warnings);
  return absl::OkStatus();
}

std::unique_ptr<TokenConstraint> AnswerRules::NewConstraint(bool thought_is_open) const {
  std::unique_ptr<TokenConstraint> constraint;
  if (content_.grammar != nullptr) constraint = std::make_unique<GrammarConstraint>(content_);
  const bool must_answer =
      constraint != nullptr || (tools_ && tools_->choice == ToolChoice::kRequired);
  if (tools_) {
    constraint = std::make_unique<ToolConstraint>(*tools_, calls_, std::move(constraint));
  }
  if (constraint != nullptr && may_think_ && thought_end_) {
    const AfterThoughtOptions options = {.begin = thought_begin_,
                                         .end = *thought_end_,
                                         .is_open = thought_is_open,
                                         .may_end = !must_answer};
    constraint = std::make_unique<AfterThought>(options, vocabulary_, std::move(constraint));
  }
  if (think_budget_ < 0) return constraint;
  return std::make_unique<ThoughtBudget>(think_budget_,
                                         ThoughtTokens{thought_begin_, *thought_end_},
                                         thought_is_open, std::move(constraint));
}

}  // namespace infer
