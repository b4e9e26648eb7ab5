// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/load_summary.h"

#include <gtest/gtest.h>

namespace infer::load {
namespace {

RequestResult Answer(int32_t user, double due_s, std::vector<float> token_s) {
  RequestResult result;
  result.user = user;
  result.due_s = due_s;
  result.status = 200;
  result.end_s = due_s + (token_s.empty() ? 0 : token_s.back());
  result.token_s = std::move(token_s);
  return result;
}

TEST(SummarizeMs, PercentilesAreValuesOfTheSet) {
  std::vector<double> seconds;
  for (int i = 100; i >= 1; --i) seconds.push_back(i / 1e3);
  const Times times = SummarizeMs(seconds);
  EXPECT_EQ(times.count, 100);
  EXPECT_DOUBLE_EQ(times.mean, 50.5);
  EXPECT_DOUBLE_EQ(times.p50, 50);
  EXPECT_DOUBLE_EQ(times.p90, 90);
  EXPECT_DOUBLE_EQ(times.p99, 99);
  EXPECT_DOUBLE_EQ(times.max, 100);
}

TEST(SummarizeMs, OneValueIsEveryPercentile) {
  const Times times = SummarizeMs({0.25});
  EXPECT_EQ(times.p50, 250);
  EXPECT_EQ(times.p99, 250);
  EXPECT_EQ(SummarizeMs({}).max, 0);
}

TEST(Summarize, ComputesRatesAndGaps) {
  RunResult run;
  run.seconds = 2;
  run.requests = {Answer(0, 0, {0.5F, 0.6F, 0.8F}), Answer(1, 1, {0.25F, 0.5F})};
  run.requests[0].usage = {.prompt_tokens = 10, .output_tokens = 4, .cached_tokens = 6};
  const LoadSummary summary = Summarize({&run, 1});
  EXPECT_EQ(summary.requests, 2);
  EXPECT_EQ(summary.output_tokens, 6) << "the usage counts where it is, else the events";
  EXPECT_EQ(summary.output_tokens_per_s(), 3);
  EXPECT_EQ(summary.requests_per_s(), 1);
  EXPECT_EQ(summary.cached_tokens, 6);
  EXPECT_EQ(summary.gap.count, 3);
  EXPECT_NEAR(summary.gap.max, 250, 0.01);
  EXPECT_NEAR(summary.first_token.mean, 375, 0.01);
  EXPECT_NEAR(summary.latency.max, 800, 0.01);
  EXPECT_NEAR(summary.slowest_request, 0.8 / 0.65, 1e-4);
}

TEST(Summarize, TheSlowestUserIsComparedWithTheMeanOfUsers) {
  RunResult run;
  run.requests = {Answer(0, 0, {1}), Answer(0, 1, {1}), Answer(0, 2, {1}), Answer(1, 0, {3})};
  EXPECT_DOUBLE_EQ(Summarize({&run, 1}).slowest_user, 1.5);
}

TEST(Summarize, KeepsFailuresApart) {
  RunResult run;
  run.requests.assign(6, Answer(0, 0, {1}));
  run.requests[0].failure = Failure::kReset;
  run.requests[1].failure = Failure::kStatus;
  run.requests[1].status = 429;
  run.requests[2].kind = RequestKind::kCancelled;
  run.requests[3].kind = RequestKind::kMalformed;
  run.requests[3].status = 400;
  run.requests[4].kind = RequestKind::kMalformed;
  run.requests[4].status = 500;
  const LoadSummary summary = Summarize({&run, 1});
  EXPECT_EQ(summary.requests, 1);
  EXPECT_EQ(summary.failed, 2);
  EXPECT_EQ(summary.failures.at("connection broke"), 1);
  EXPECT_EQ(summary.failures.at("HTTP 429"), 1);
  EXPECT_EQ(summary.cancelled, 1);
  EXPECT_EQ(summary.malformed, 2);
  EXPECT_EQ(summary.malformed_server_errors, 1);
  EXPECT_EQ(summary.latency.count, 1);
}

TEST(Summarize, FindsTheGapsDuringAnIntrudersPrompt) {
  RunResult run;
  run.requests = {Answer(0, 0, {0.1F, 0.2F, 0.5F, 0.6F, 0.7F}), Answer(-1, 0.25, {0.3F, 0.4F})};
  run.requests[1].kind = RequestKind::kIntruder;
  const LoadSummary summary = Summarize({&run, 1});
  EXPECT_EQ(summary.intruder_gap.count, 2) << "0.2 to 0.5 and 0.5 to 0.6";
  EXPECT_NEAR(summary.intruder_gap.max, 300, 0.01);
  EXPECT_NEAR(summary.intruder_first_token.mean, 300, 0.01);
  EXPECT_EQ(summary.requests, 1);
  EXPECT_EQ(summary.gap.count, 4);
}

}  // namespace
}  // namespace infer::load
