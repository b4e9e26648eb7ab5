// SPDX-License-Identifier: Apache-2.0
#include "tools/api/answer_rules_cache.h"

#include <algorithm>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// Equal for equal requests only: every text comes with its length.
std::string KeyOf(const AnswerRulesRequest& request) {
  std::string key = StrCat(request.json, " ", request.think_budget, " ", request.may_think, " ",
                           static_cast<int>(request.tool_choice), " ", request.parallel_tool_calls,
                           " ", request.bind_arguments, " ", static_cast<int>(request.tool_form));
  const auto add = [&key](const std::string& text) {
    StrAppend(&key, " ", text.size(), ":", text);
  };
  add(request.json_schema);
  add(request.grammar);
  add(request.tool_name);
  for (const std::string& tool : request.tools) add(tool);
  return key;
}

}  // namespace

std::shared_ptr<const AnswerRules> AnswerRulesCache::Find(const std::string& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found =
      std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.key == key; });
  if (found == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found);
  return found->rules;
}

absl::StatusOr<std::shared_ptr<const AnswerRules>> AnswerRulesCache::Get(
    const AnswerRulesRequest& request, const Tokenizer* tokenizer) {
  std::string key = KeyOf(request);
  if (std::shared_ptr<const AnswerRules> known = Find(key)) return known;
  std::shared_ptr<const GrammarVocabulary> vocabulary;
  if (request.has_grammar() || request.binds_tools()) {
    std::lock_guard<std::mutex> lock(vocabulary_mutex_);
    if (vocabulary_ == nullptr) vocabulary_ = GrammarVocabulary::Create(tokenizer->vocabulary());
    vocabulary = vocabulary_;
  }
  // Not under the lock: a large schema must not delay other requests.
  ASSIGN_OR_RETURN(AnswerRules made, AnswerRules::Create(request, tokenizer, &vocabulary));
  auto rules = std::make_shared<const AnswerRules>(std::move(made));
  std::lock_guard<std::mutex> lock(mutex_);
  entries_.push_front({std::move(key), rules});
  if (entries_.size() > kMaxRules) entries_.pop_back();
  return rules;
}

}  // namespace infer
