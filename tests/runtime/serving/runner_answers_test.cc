// SPDX-License-Identifier: Apache-2.0
//
// Whatever else runs, a request gets the answer of an idle engine: random mixes of requests with
// shared prefixes, several choices, constraints, drafts, penalties and tenants, with a cache that
// is large, one that makes the tree evict, and one that makes the runner preempt.
// INFER_TEST_RUNNER_REQUESTS sets the number of requests (2,000 in a full run).
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "tests/runtime/serving/runner_fixture.h"
#include "tests/support/hang_limit.h"

namespace infer::test {
namespace {

struct Pending {
  TokenRequest request;
  std::shared_ptr<Recorder> answer;
};

class RunnerAnswers : public ::testing::TestWithParam<int> {};

TEST_P(RunnerAnswers, AreThoseOfAnIdleEngine) {
  const int64_t blocks = GetParam();
  const int count = CountFrom("INFER_TEST_RUNNER_REQUESTS", 48) / 3;
  std::mt19937 random(static_cast<uint32_t>(blocks));
  RunnerOptions options;
  options.max_running = kRunnerSequences;
  options.step_ms = 5;
  auto runner = NewRunner(options, blocks);
  int64_t drafted = 0, accepted = 0, cached = 0;
  for (int done = 0; done < count;) {
    std::vector<Pending> pending;
    // Waves of all sizes, so that drafts get their turn too.
    const int wave = std::min(count - done, 1 + static_cast<int>(random() % 24));
    for (int i = 0; i < wave; ++i) {
      Pending& next = pending.emplace_back();
      next.request = RandomRequest(random);
      next.answer = std::make_shared<Recorder>(next.request.choices);
      ASSERT_TRUE(runner->Submit(next.request, next.answer).ok());
      if (random() % 3 == 0) next.answer->WaitForTokens(0);
    }
    for (const Pending& one : pending) {
      one.answer->Wait();
      ASSERT_TRUE(one.answer->status().ok()) << one.answer->status();
      ASSERT_EQ(one.answer->choices(), AnswerAlone(one.request)) << "request " << done;
      const RequestSummary& summary = one.answer->summary();
      EXPECT_EQ(summary.prompt_tokens, std::ssize(one.request.prompt));
      EXPECT_EQ(one.answer->admissions, 1);
      EXPECT_FALSE(summary.cache_end.empty());
      drafted += summary.drafted_tokens;
      accepted += summary.accepted_tokens;
      cached += summary.cached_tokens;
      ++done;
    }
  }
  EXPECT_GT(drafted, 0);
  EXPECT_GT(accepted, 0);
  EXPECT_GT(cached, 0);
  // The last request is counted after its listener has heard of the end.
  EXPECT_TRUE(WaitUntil([&] { return runner->state().running == 0; }));
  const RunnerState state = runner->state();
  EXPECT_EQ(state.ended_requests, count);
  EXPECT_EQ(state.running, 0);
  EXPECT_EQ(state.waiting, 0);
  EXPECT_EQ(state.free_blocks + state.cached_blocks, state.blocks);
  if (blocks > 0 && blocks < 20) {
    EXPECT_GT(state.preemptions, 0);
  }
  if (blocks > 0) {
    EXPECT_GT(state.evicted_blocks, 0);
  }
  RecordProperty("preemptions", std::to_string(state.preemptions));
  RecordProperty("evicted", std::to_string(state.evicted_blocks));
}

INSTANTIATE_TEST_SUITE_P(Blocks, RunnerAnswers, ::testing::Values(0, 30, 12));

}  // namespace
}  // namespace infer::test
