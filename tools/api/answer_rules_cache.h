// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "tools/api/answer_rules.h"

namespace infer {

// The rules of a model's recent requests: clients send the same schema and tools with each of them,
// and texts under the same rules share masks. Thread-safe.
class AnswerRulesCache {
 public:
  static constexpr size_t kMaxRules = 8;

  AnswerRulesCache() = default;
  AnswerRulesCache(const AnswerRulesCache&) = delete;
  AnswerRulesCache& operator=(const AnswerRulesCache&) = delete;

  // Returns the rules of `request`. `tokenizer` is the same in all calls, and must outlive the
  // rules.
  absl::StatusOr<std::shared_ptr<const AnswerRules>> Get(const AnswerRulesRequest& request,
                                                         const Tokenizer* tokenizer);

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const AnswerRules> rules;
  };
  std::shared_ptr<const AnswerRules> Find(const std::string& key);

  std::mutex mutex_;
  std::list<Entry> entries_;  // the last used one first
  std::mutex vocabulary_mutex_;
  std::shared_ptr<const GrammarVocabulary> vocabulary_;  // made when first needed
};

}  // namespace infer
