// SPDX-License-Identifier: Apache-2.0
//
// What an answer must keep to: a grammar, the schemas of the tools that it calls, and a bound on
// its thought.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/grammar/grammar_vocabulary.h"
#include "frontends/grammar/tool_call_grammar.h"
#include "frontends/tokenizer/tokenizer.h"
#include "runtime/token_constraint.h"
#include "tools/api/grammar_constraint.h"
#include "tools/api/tool_constraint.h"

namespace infer {

struct AnswerRulesRequest {
  std::string json_schema = {};  // text; at most one of the three is set
  std::string grammar = {};      // text, GBNF
  bool json = false;             // any JSON value
  int64_t think_budget = -1;     // tokens; -1: no bound
  // Whether a thought may come first, which the grammar leaves alone. Otherwise the first token is
  // bound, as where a text is continued that has no bound on thoughts either.
  bool may_think = true;

  std::vector<std::string> tools = {};  // JSON text of each tool that the prompt offers
  ToolChoice tool_choice = ToolChoice::kAuto;
  std::string tool_name = {};       // with kRequired: the one tool to call, once
  bool parallel_tool_calls = true;  // false: at most one call in an answer
  // Whether the arguments of a call keep to the tool's schema. Calls are left to the model if not,
  // except what `tool_choice` demands.
  bool bind_arguments = true;
  ToolCallForm tool_form = ToolCallForm::kJson;

  bool has_grammar() const { return json || !json_schema.empty() || !grammar.empty(); }
  bool binds_tools() const {
    return tool_choice == ToolChoice::kRequired ||
           (!tools.empty() && (tool_choice == ToolChoice::kNone || bind_arguments));
  }
  bool any() const { return has_grammar() || binds_tools() || think_budget >= 0; }
};

// The rules of many answers of one model. Immutable, except that the answers share masks, and
// thread-safe.
class AnswerRules {
 public:
  // `tokenizer` must outlive the rules and their constraints. Errors name the place in the schema
  // or grammar. Refused too: a bound on thoughts if the model has no token that ends one, and calls
  // that must be made if it has none that begin and end them.
  // `vocabulary` is kept for the next rules of the model: making it takes 0.1 s. It is made here if
  // a grammar needs it and it is null.
  static absl::StatusOr<AnswerRules> Create(
      const AnswerRulesRequest& request, const Tokenizer* tokenizer,
      std::shared_ptr<const GrammarVocabulary>* vocabulary = nullptr);

  // Returns the constraint of one answer. `thought_is_open`: the prompt ended with <think>.
  std::unique_ptr<TokenConstraint> NewConstraint(bool thought_is_open) const;

  // What is not bound although it was asked for.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  absl::Status AddTools(const AnswerRulesRequest& request);

  const Tokenizer* tokenizer_ = nullptr;
  std::shared_ptr<const GrammarVocabulary> vocabulary_;
  SharedGrammar content_;                       // without a grammar: any text
  std::optional<ToolConstraintOptions> tools_;  // not set: calls are text like any other
  SharedGrammar calls_;
  int64_t think_budget_ = -1;
  bool may_think_ = true;
  std::optional<int32_t> thought_begin_;
  std::optional<int32_t> thought_end_;
  std::vector<std::string> warnings_;
};

}  // namespace infer
