// SPDX-License-Identifier: Apache-2.0
//
// A prefix is computed once, by whoever comes first, whether that one has ended, runs, or is just
// computing it.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "tests/runtime/serving/runner_fixture.h"
#include "tests/support/hang_limit.h"

namespace infer::test {
namespace {

class RunnerPrefix : public ::testing::Test {
 protected:
  std::shared_ptr<Recorder> Submit(RequestRunner& runner, size_t own_tokens, int64_t max_tokens,
                                   const std::string& salt = "") {
    TokenRequest request;
    request.prompt = prefix_;
    const std::vector<int32_t> own = RandomTokens(random_, own_tokens);
    request.prompt.insert(request.prompt.end(), own.begin(), own.end());
    request.max_tokens = max_tokens;
    request.cache_salt = salt;
    auto answer = std::make_shared<Recorder>();
    EXPECT_TRUE(runner.Submit(request, answer).ok());
    requests_.push_back({request, answer});
    return answer;
  }
  void ExpectRightAnswers() {
    for (const auto& [request, answer] : requests_) {
      answer->Wait();
      EXPECT_EQ(answer->choices(), AnswerAlone(request));
    }
  }
  void WaitUntilComputed(RequestRunner& runner, int64_t cached_blocks) {
    EXPECT_TRUE(WaitUntil([&] { return runner.state().cached_blocks >= cached_blocks; }));
    EXPECT_EQ(runner.state().cached_blocks, cached_blocks);
  }

  std::mt19937 random_{11};
  std::vector<int32_t> prefix_ = RandomTokens(random_, 100);
  std::vector<std::pair<TokenRequest, std::shared_ptr<Recorder>>> requests_;
};

TEST_F(RunnerPrefix, IsNotComputedAgainAfterARequest) {
  auto runner = NewRunner();
  Submit(*runner, 5, 4)->Wait();
  EXPECT_EQ(runner->state().computed_prompt_tokens, 105);
  auto second = Submit(*runner, 7, 4);
  ExpectRightAnswers();
  EXPECT_EQ(runner->state().computed_prompt_tokens, 105 + 7);
  EXPECT_EQ(second->summary().cached_tokens, 100);
  EXPECT_EQ(second->summary().cache_end, "the cached text goes on differently");
}

TEST_F(RunnerPrefix, IsSharedWithARequestThatRuns) {
  auto runner = NewRunner();
  auto first = Submit(*runner, 5, 40);
  first->WaitForTokens(1);
  auto second = Submit(*runner, 7, 4);
  second->Wait();
  EXPECT_FALSE(first->ended());
  // Whole blocks: 96 of the 100 tokens, or all of them if the first request has filled the next
  // block meanwhile.
  const int64_t cached = second->summary().cached_tokens;
  EXPECT_TRUE(cached == 96 || cached == 100) << cached;
  ExpectRightAnswers();
  EXPECT_EQ(runner->state().computed_prompt_tokens, 105 + 107 - cached);
}

TEST_F(RunnerPrefix, EqualPromptsSentAtOnceAreComputedOnce) {
  auto runner = NewRunner();
  for (int i = 0; i < 6; ++i) Submit(*runner, 3, 10);
  ExpectRightAnswers();
  EXPECT_EQ(runner->state().computed_prompt_tokens, 103 + 5 * 7);
}

TEST_F(RunnerPrefix, DifferentSaltsShareNothing) {
  auto runner = NewRunner();
  Submit(*runner, 5, 4)->Wait();
  auto second = Submit(*runner, 5, 4, "salt");
  ExpectRightAnswers();
  EXPECT_EQ(second->summary().cached_tokens, 0);
  EXPECT_EQ(second->summary().cache_end, "no cached text begins like this");
}

TEST_F(RunnerPrefix, ARequestThatWaitsForACancelledOneGoesOnAlone) {
  auto runner = NewRunner();
  TokenRequest request;
  request.prompt = prefix_;
  auto first = std::make_shared<Recorder>();
  const RequestId id = runner->Submit(request, first).value();
  auto second = Submit(*runner, 1, 4);
  runner->Cancel(id);
  ExpectRightAnswers();
  first->Wait();
}

TEST_F(RunnerPrefix, TheAnswerIsPartOfTheNextTurnsPrefix) {
  auto runner = NewRunner();
  auto first = Submit(*runner, 4, 10);
  first->Wait();
  prefix_ = requests_[0].first.prompt;
  const std::vector<int32_t>& ids = first->choice(0).ids;
  prefix_.insert(prefix_.end(), ids.begin(), ids.end());
  auto second = Submit(*runner, 5, 4);
  ExpectRightAnswers();
  EXPECT_EQ(second->summary().cached_tokens, 104 + 9);  // the last token was never run
}

TEST_F(RunnerPrefix, PrefetchRunsInIdleTime) {
  auto runner = NewRunner();
  runner->Prefetch(prefix_, "");
  runner->Prefetch({1, 1 << 30}, "");  // nonsense is ignored
  WaitUntilComputed(*runner, 7);
  auto answer = Submit(*runner, 6, 4);
  ExpectRightAnswers();
  EXPECT_EQ(answer->summary().cached_tokens, 100);
  EXPECT_EQ(runner->state().computed_prompt_tokens, 6);
}

TEST_F(RunnerPrefix, CanBeSwitchedOff) {
  RunnerOptions options;
  options.share_prefixes = false;
  auto runner = NewRunner(options, /*blocks=*/14);
  for (int i = 0; i < 4; ++i) Submit(*runner, 3, 30);
  ExpectRightAnswers();
  EXPECT_EQ(runner->state().cached_tokens, 0);
  EXPECT_EQ(requests_[0].second->summary().cache_end, "prefixes are not shared");
  EXPECT_EQ(runner->state().free_blocks, 14);
}

TEST_F(RunnerPrefix, SeveralChoicesComputeThePromptOnce) {
  auto runner = NewRunner();
  TokenRequest request;
  request.prompt = prefix_;
  request.choices = 5;
  request.max_tokens = 12;
  request.sampler.temperature = 1.2;
  auto answer = std::make_shared<Recorder>(5);
  ASSERT_TRUE(runner->Submit(request, answer).ok());
  answer->Wait();
  EXPECT_EQ(answer->choices(), AnswerAlone(request));
  EXPECT_EQ(runner->state().computed_prompt_tokens, 100);
  EXPECT_NE(answer->choice(0).ids, answer->choice(1).ids);
}

TEST_F(RunnerPrefix, MoreChoicesThanPlacesFollowEachOther) {
  auto runner = NewRunner({}, /*blocks=*/16);
  TokenRequest request;
  request.prompt = prefix_;
  request.choices = 20;
  request.max_tokens = 12;
  request.sampler.temperature = 1.2;
  auto answer = std::make_shared<Recorder>(20);
  ASSERT_TRUE(runner->Submit(request, answer).ok());
  answer->Wait();
  EXPECT_EQ(answer->choices(), AnswerAlone(request));
}

}  // namespace
}  // namespace infer::test
