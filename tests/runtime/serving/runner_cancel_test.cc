// SPDX-License-Identifier: Apache-2.0
//
// Clients that vanish at random moments: their rows are free within two steps, and nobody else's
// answer changes. INFER_TEST_RUNNER_CANCELS sets how many (500 in a full run).
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <vector>

#include "tests/runtime/serving/runner_fixture.h"

namespace infer::test {
namespace {

TEST(RunnerCancel, RowsAreFreeWithinTwoSteps) {
  auto runner = NewRunner();
  std::mt19937 random(3);
  TokenRequest request;
  request.prompt = RandomTokens(random, 20);
  request.max_tokens = 1000;
  auto witness = std::make_shared<Recorder>();
  ASSERT_TRUE(runner->Submit(request, witness).ok());
  for (int i = 0; i < 5 && !witness->ended(); ++i) {
    auto leaves = std::make_shared<Recorder>();
    request.prompt = RandomTokens(random, 10);
    uint64_t ended_at = 0;
    leaves->on_end = [&] { ended_at = runner->state().steps; };
    const RequestId id = runner->Submit(request, leaves).value();
    leaves->WaitForTokens(2);
    const uint64_t asked_at = runner->state().steps;
    runner->Cancel(id);
    leaves->Wait();
    EXPECT_LE(ended_at, asked_at + 2);
    if (leaves->status().ok()) continue;  // it was done before
    EXPECT_EQ(leaves->status().code(), absl::StatusCode::kCancelled);
    EXPECT_EQ(leaves->choice(0).end, ChoiceEnd::kCancelled);
  }
  runner->Cancel(12345);  // unknown ones are ignored
  witness->Wait();
}

TEST(RunnerCancel, NobodyElsesAnswerChanges) {
  const int cancels = CountFrom("INFER_TEST_RUNNER_CANCELS", 24);
  std::mt19937 random(5);
  RunnerOptions options;
  options.step_ms = 5;
  auto runner = NewRunner(options, /*blocks=*/20);
  struct Pending {
    TokenRequest request;
    std::shared_ptr<Recorder> answer;
    std::atomic<RequestId> id = 0;  // the listener reads it on the runner's thread
    bool leaves = false;
  };
  for (int cancelled = 0; cancelled < cancels;) {
    std::vector<Pending> wave(16);
    for (Pending& one : wave) {
      one.request = RandomRequest(random);
      one.leaves = random() % 2 == 0;
      one.answer = std::make_shared<Recorder>(one.request.choices);
      if (one.leaves && random() % 2 == 0) {
        // From the listener itself, after a random token.
        const int after = static_cast<int>(random() % 8);
        RequestRunner* of = runner.get();
        auto seen = std::make_shared<int>(0);
        Recorder* recorder = one.answer.get();
        recorder->on_token = [of, seen, after, &one](const TokenOutput&) {
          if (++*seen == after) of->Cancel(one.id);
          return true;
        };
        one.request.prompt.push_back(700);
      }
      const absl::StatusOr<RequestId> id = runner->Submit(one.request, one.answer);
      ASSERT_TRUE(id.ok()) << id.status();
      one.id = *id;
    }
    for (Pending& one : wave) {
      if (!one.leaves) continue;
      if (random() % 2 == 0) one.answer->WaitForTokens(random() % 6);
      runner->Cancel(one.id);
      ++cancelled;
    }
    for (const Pending& one : wave) {
      one.answer->Wait();
      if (one.leaves) {
        EXPECT_TRUE(one.answer->status().ok() ||
                    one.answer->status().code() == absl::StatusCode::kCancelled);
        continue;
      }
      ASSERT_TRUE(one.answer->status().ok()) << one.answer->status();
      ASSERT_EQ(one.answer->choices(), AnswerAlone(one.request));
    }
    const RunnerState state = runner->state();
    EXPECT_EQ(state.free_blocks + state.cached_blocks, state.blocks);
  }
  EXPECT_GT(runner->state().cancelled_requests, cancels / 4);
}

}  // namespace
}  // namespace infer::test
