// SPDX-License-Identifier: Apache-2.0
#include "tools/api/answer_rules_cache.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "ir/base/strings.h"
#include "tools/api/model_file.h"

namespace infer {
namespace {

class AnswerRulesCacheTest : public ::testing::Test {
 protected:
  std::shared_ptr<const AnswerRules> Get(const AnswerRulesRequest& request) {
    auto rules = cache_.Get(request, &tokenizer_);
    EXPECT_TRUE(rules.ok()) << rules.status();
    return rules.ok() ? *rules : nullptr;
  }

  ModelFile model_ = *ModelFile::Open("");
  Tokenizer tokenizer_ = *model_.ReadTokenizer();
  AnswerRulesCache cache_;
};

TEST_F(AnswerRulesCacheTest, EqualRequestsShareTheirRules) {
  const AnswerRulesRequest request = {.json_schema = R"({"type": "object"})"};
  const auto first = Get(request);
  EXPECT_EQ(Get(request), first);
  EXPECT_NE(Get({.json_schema = R"({"type": "array"})"}), first);
  EXPECT_NE(Get({.json_schema = request.json_schema, .think_budget = 3}), first);
  EXPECT_EQ(Get(request), first);
}

TEST_F(AnswerRulesCacheTest, KeepsTheLastUsed) {
  const auto rules = [&](size_t i) { return Get({.grammar = StrCat("root ::= \"", i, "\"")}); };
  const auto first = rules(0);
  const std::weak_ptr<const AnswerRules> second = rules(1);
  for (size_t i = 2; i <= AnswerRulesCache::kMaxRules; ++i) {
    rules(i);
    EXPECT_EQ(rules(0), first);
  }
  EXPECT_TRUE(second.expired());
}

TEST_F(AnswerRulesCacheTest, ErrorsAreNotKept) {
  EXPECT_FALSE(cache_.Get({.grammar = "root ::= \"x"}, &tokenizer_).ok());
  EXPECT_FALSE(cache_.Get({.grammar = "root ::= \"x"}, &tokenizer_).ok());
}

// Texts of one grammar on several threads get the masks that a text of its own gets.
TEST_F(AnswerRulesCacheTest, ThreadsShareMasks) {
  const AnswerRulesRequest request = {
      .json_schema = R"({"type": "object", "properties": {"a": {"type": "string"}}})"};
  const std::vector<int32_t> ids = *tokenizer_.Encode(R"({"a": "b c d"})");
  const auto masks = [&](AnswerRulesCache& cache) {
    std::vector<std::vector<float>> rows;
    const auto constraint = (*cache.Get(request, &tokenizer_))->NewConstraint(false);
    for (const int32_t id : ids) {
      rows.emplace_back(static_cast<size_t>(tokenizer_.vocabulary().token_count()));
      constraint->Refuse(rows.back());
      constraint->Accept(id);
    }
    return rows;
  };
  AnswerRulesCache own;
  const auto expected = masks(own);
  std::vector<std::thread> threads;
  std::vector<int> equal(4);
  for (size_t i = 0; i < equal.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) equal[i] += masks(cache_) == expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, std::vector<int>(4, 20));
}

}  // namespace
}  // namespace infer
