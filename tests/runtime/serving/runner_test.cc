// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/serving/request_runner.h"
#include "tests/runtime/serving/runner_fixture.h"
#include "tests/support/hang_limit.h"

namespace infer::test {
namespace {

using ::testing::HasSubstr;

TokenRequest Simple(int seed, size_t tokens, int64_t max_tokens) {
  std::mt19937 random(static_cast<uint32_t>(seed));
  TokenRequest request;
  request.prompt = RandomTokens(random, tokens);
  request.max_tokens = max_tokens;
  return request;
}

std::shared_ptr<Recorder> Submit(RequestRunner& runner, const TokenRequest& request) {
  auto answer = std::make_shared<Recorder>(request.choices);
  const absl::StatusOr<RequestId> id = runner.Submit(request, answer);
  EXPECT_TRUE(id.ok()) << id.status();
  return answer;
}

TEST(Runner, RefusesRequestsThatMakeNoSense) {
  auto runner = NewRunner();
  const auto code = [&](const TokenRequest& request) {
    return runner->Submit(request, std::make_shared<Recorder>()).status().code();
  };
  TokenRequest request = Simple(1, 5, 5);
  request.prompt = {};
  EXPECT_EQ(code(request), absl::StatusCode::kInvalidArgument);
  request.prompt = {1, -1};
  EXPECT_EQ(code(request), absl::StatusCode::kInvalidArgument);
  request.prompt.assign(kRunnerContext + 1, 5);
  EXPECT_EQ(code(request), absl::StatusCode::kOutOfRange);
  request = Simple(1, 5, -1);
  EXPECT_EQ(code(request), absl::StatusCode::kInvalidArgument);
  request = Simple(1, 5, 5);
  request.choices = 0;
  EXPECT_EQ(code(request), absl::StatusCode::kInvalidArgument);
  request.choices = 1 << 20;
  EXPECT_EQ(code(request), absl::StatusCode::kInvalidArgument);
  request = Simple(1, 5, 5);
  request.top_logprobs = 1000;
  EXPECT_EQ(code(request), absl::StatusCode::kInvalidArgument);
  request = Simple(1, 5, 5);
  request.sampler.temperature = -1;
  EXPECT_EQ(code(request), absl::StatusCode::kInvalidArgument);
  request = Simple(1, 5, 5);
  request.sampler.logit_bias = {{1 << 30, 1.0f}};
  EXPECT_EQ(code(request), absl::StatusCode::kInvalidArgument);
}

TEST(Runner, NeedsAPagedCache) {
  EXPECT_EQ(RequestRunner::Create(NewRunnerEngine(0, 0), {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Runner, AFullContextEndsTheText) {
  auto runner = NewRunner();
  const TokenRequest request = Simple(2, kRunnerContext - 3, 100);
  auto answer = Submit(*runner, request);
  answer->Wait();
  EXPECT_EQ(answer->choice(0).end, ChoiceEnd::kContextFull);
  EXPECT_EQ(answer->choices(), AnswerAlone(request));
}

TEST(Runner, RefusesMoreThanTheQueueHolds) {
  RunnerOptions options;
  options.max_running = 1;
  options.max_waiting = 2;
  auto runner = NewRunner(options);
  std::vector<std::shared_ptr<Recorder>> accepted;
  int refused = 0;
  for (int i = 0; i < 20; ++i) {
    auto answer = std::make_shared<Recorder>();
    const absl::StatusOr<RequestId> id = runner->Submit(Simple(i, 30, 60), answer);
    if (id.ok()) {
      accepted.push_back(answer);
    } else {
      EXPECT_EQ(id.status().code(), absl::StatusCode::kResourceExhausted);
      ++refused;
    }
  }
  EXPECT_GE(accepted.size(), 3u);
  EXPECT_GT(refused, 5);
  EXPECT_GE(runner->RetryAfterSeconds(), 1);
  for (const auto& answer : accepted) answer->Wait();
  auto late = Submit(*runner, Simple(99, 5, 2));
  late->Wait();
  EXPECT_EQ(runner->state().refused_requests, refused);
}

TEST(Runner, StopsAcceptingAndFinishesWhatRuns) {
  auto runner = NewRunner();
  auto answer = Submit(*runner, Simple(4, 20, 20));
  runner->StopAccepting();
  EXPECT_EQ(runner->Submit(Simple(5, 5, 5), std::make_shared<Recorder>()).status().code(),
            absl::StatusCode::kUnavailable);
  answer->Wait();
  EXPECT_TRUE(answer->status().ok());
}

// As the worker of a server that is going away does.
TEST(Runner, CanBeUsedAfterItHasStopped) {
  auto runner = NewRunner();
  auto answer = Submit(*runner, Simple(4, 20, 1000));
  answer->WaitForTokens(1);
  std::atomic<bool> is_done = false;
  std::thread worker([&] {
    while (!is_done) runner->Prefetch({1, 2, 3}, "");
  });
  runner->Stop();
  EXPECT_TRUE(answer->ended());
  EXPECT_EQ(runner->Submit(Simple(5, 5, 5), std::make_shared<Recorder>()).status().code(),
            absl::StatusCode::kUnavailable);
  runner->Cancel(1);
  runner->Stop();
  is_done = true;
  worker.join();
}

TEST(Runner, EndsAllRequestsWhenItIsDestroyed) {
  std::vector<std::shared_ptr<Recorder>> answers;
  {
    RunnerOptions options;
    options.max_running = 2;
    auto runner = NewRunner(options);
    for (int i = 0; i < 6; ++i) answers.push_back(Submit(*runner, Simple(i, 20, 1000)));
    answers[0]->WaitForTokens(1);
  }
  for (const auto& answer : answers) {
    ASSERT_TRUE(answer->ended());
    EXPECT_TRUE(answer->status().ok() || absl::IsCancelled(answer->status()));
  }
}

TEST(Runner, AListenerThatThrowsEndsItsRequestAlone) {
  auto runner = NewRunner();
  const TokenRequest request = Simple(6, 20, 30);
  auto good = Submit(*runner, request);
  auto bad = std::make_shared<Recorder>();
  bad->on_token = [n = 0](const TokenOutput&) mutable -> bool {
    if (++n == 3) throw std::runtime_error("broken");
    return true;
  };
  ASSERT_TRUE(runner->Submit(Simple(7, 20, 30), bad).ok());
  auto worse = std::make_shared<Recorder>();
  worse->on_token = [](const TokenOutput&) -> bool { throw 5; };
  worse->on_end = [] {};
  ASSERT_TRUE(runner->Submit(Simple(8, 20, 30), worse).ok());
  bad->Wait();
  worse->Wait();
  good->Wait();
  EXPECT_EQ(bad->status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(bad->status().message()), HasSubstr("broken"));
  EXPECT_EQ(good->choices(), AnswerAlone(request));
}

TEST(Runner, AConstraintThatCannotBeMadeEndsItsRequestAlone) {
  auto runner = NewRunner();
  TokenRequest request = Simple(6, 20, 30);
  auto good = Submit(*runner, request);
  request.new_constraint = []() -> std::unique_ptr<TokenConstraint> {
    throw std::runtime_error("no grammar");
  };
  auto bad = Submit(*runner, request);
  bad->Wait();
  good->Wait();
  EXPECT_FALSE(bad->status().ok());
  EXPECT_TRUE(good->status().ok()) << good->status();
}

// Forces a token that the model does not have.
class Nonsense : public TokenConstraint {
 public:
  void Force(int64_t most, std::vector<int32_t>* tokens) const override {
    if (most > 0) tokens->push_back(1 << 30);
  }
  bool Allows(int32_t) const override { return true; }
  void Refuse(std::span<float>) const override {}
  void Accept(int32_t) override {}
};

TEST(Runner, ACallThatFailsEndsItsRequestsAndTheLoopGoesOn) {
  auto runner = NewRunner();
  TokenRequest request = Simple(6, 20, 30);
  request.new_constraint = [] { return std::make_unique<Nonsense>(); };
  auto bad = Submit(*runner, request);
  bad->Wait();
  EXPECT_EQ(bad->status().code(), absl::StatusCode::kInvalidArgument) << bad->status();
  EXPECT_EQ(bad->choice(0).end, ChoiceEnd::kError);
  request.new_constraint = {};
  auto good = Submit(*runner, request);
  good->Wait();
  EXPECT_EQ(good->choices(), AnswerAlone(request));
  const RunnerState state = runner->state();
  EXPECT_EQ(state.free_blocks + state.cached_blocks, state.blocks);
}

TEST(Runner, AListenerEndsItsChoice) {
  auto runner = NewRunner();
  auto answer = std::make_shared<Recorder>();
  answer->on_token = [n = 0](const TokenOutput&) mutable { return ++n < 4; };
  ASSERT_TRUE(runner->Submit(Simple(9, 20, 30), answer).ok());
  answer->Wait();
  EXPECT_EQ(answer->choice(0).end, ChoiceEnd::kListener);
  EXPECT_EQ(answer->choice(0).ids.size(), 4u);
  EXPECT_GT(answer->step_ends, 0);
}

TEST(Runner, APausedRequestWaitsAndLosesNothing) {
  auto runner = NewRunner();
  const TokenRequest request = Simple(10, 20, 60);
  auto slow = std::make_shared<Recorder>();
  std::atomic<RequestId> id = 0;
  slow->on_token = [&, n = 0](const TokenOutput&) mutable {
    if (++n == 5) runner->SetPaused(id, true);
    return true;
  };
  id = runner->Submit(request, slow).value();
  slow->WaitForTokens(5);
  auto other = Submit(*runner, Simple(11, 20, 20));
  other->Wait();
  EXPECT_FALSE(slow->ended());
  // Ten others take its place; it goes on where it was.
  std::vector<std::shared_ptr<Recorder>> more;
  for (int i = 0; i < 10; ++i) more.push_back(Submit(*runner, Simple(20 + i, 30, 10)));
  for (const auto& answer : more) answer->Wait();
  EXPECT_FALSE(slow->ended());
  runner->SetPaused(id, false);
  slow->Wait();
  EXPECT_EQ(slow->choices(), AnswerAlone(request));
}

TEST(Runner, PausedRequestsKeepNobodyWaiting) {
  RunnerOptions options;
  options.max_running = 2;
  auto runner = NewRunner(options);
  std::vector<std::shared_ptr<Recorder>> paused;
  std::vector<RequestId> ids;
  for (int i = 0; i < 2; ++i) {
    paused.push_back(std::make_shared<Recorder>());
    ids.push_back(runner->Submit(Simple(30 + i, 20, 50), paused.back()).value());
    runner->SetPaused(ids.back(), true);
  }
  auto other = Submit(*runner, Simple(12, 20, 20));
  other->Wait();
  for (const RequestId id : ids) runner->SetPaused(id, false);
  for (const auto& answer : paused) answer->Wait();
}

TEST(Runner, ReportsLogprobsOfTheModel) {
  auto runner = NewRunner();
  TokenRequest request = Simple(13, 20, 10);
  request.sampler.temperature = 0;
  request.top_logprobs = 4;
  auto answer = std::make_shared<Recorder>();
  int tokens = 0;
  answer->on_token = [&](const TokenOutput& token) {
    EXPECT_EQ(token.top.size(), 4u);
    EXPECT_EQ(token.top[0].id, token.id);  // greedy
    EXPECT_EQ(token.top[0].logprob, token.logprob);
    EXPECT_LE(token.logprob, 0);
    double sum = 0;
    for (const TokenLogprob& one : token.top) sum += std::exp(one.logprob);
    EXPECT_LE(sum, 1.0001);
    ++tokens;
    return true;
  };
  ASSERT_TRUE(runner->Submit(request, answer).ok());
  answer->Wait();
  EXPECT_EQ(tokens, 10);
}

TEST(Runner, ShowsWhatItDoes) {
  auto runner = NewRunner();
  auto answer = Submit(*runner, Simple(14, 40, 12));
  answer->Wait();
  EXPECT_TRUE(WaitUntil([&] { return runner->state().running == 0; }));
  const RunnerState state = runner->state();
  EXPECT_EQ(state.generated_tokens, 12);
  EXPECT_EQ(state.prompt_tokens, 40);
  EXPECT_EQ(state.computed_prompt_tokens, 40);
  EXPECT_EQ(state.block_positions, kRunnerBlock);
  const std::vector<StepRecord> steps = runner->steps(0);
  ASSERT_EQ(steps.size(), state.steps);
  EXPECT_EQ(steps[0].prompt_tokens, 40);
  EXPECT_EQ(steps.back().decode_rows, 1);
  EXPECT_GT(steps[0].call_ms, 0);
  EXPECT_TRUE(WaitUntil([&] { return runner->heartbeat_age_ms() == 0; })) << "it is idle";
  const RequestSummary& summary = answer->summary();
  EXPECT_EQ(summary.generated_tokens, 12);
  EXPECT_EQ(summary.prompt_chunks, 1);
  EXPECT_GT(summary.prefill_ms, 0);
  EXPECT_GT(summary.decode_ms, 0);
}

TEST(Runner, EqualRequestsOfTwoTenantsShareTheMachine) {
  RunnerOptions options;
  options.max_running = 2;
  options.drafts = false;
  auto runner = NewRunner(options);
  std::vector<std::shared_ptr<Recorder>> greedy;
  std::atomic<int> greedy_ended = 0;
  for (int i = 0; i < 12; ++i) {
    TokenRequest request = Simple(40 + i, 30, 20);
    request.tenant = "greedy";
    greedy.push_back(std::make_shared<Recorder>());
    greedy.back()->on_end = [&] { ++greedy_ended; };
    ASSERT_TRUE(runner->Submit(request, greedy.back()).ok());
  }
  TokenRequest request = Simple(60, 30, 20);
  request.tenant = "modest";
  auto modest = Submit(*runner, request);
  modest->Wait();
  EXPECT_LT(greedy_ended, 6);
  for (const auto& answer : greedy) answer->Wait();
}

}  // namespace
}  // namespace infer::test
