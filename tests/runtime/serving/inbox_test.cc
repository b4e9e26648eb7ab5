// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/inbox.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace infer {
namespace {

std::unique_ptr<ActiveRequest> Request(RequestId id, size_t tokens) {
  return std::make_unique<ActiveRequest>(
      id, nullptr, TokenRequest{.prompt = std::vector<int32_t>(tokens, 1)}, nullptr);
}

TEST(Inbox, BoundsTheQueueByRequests) {
  Inbox inbox({.requests = 2, .tokens = 1000, .running = 1});
  EXPECT_TRUE(inbox.Submit(Request(1, 5)).ok());
  EXPECT_TRUE(inbox.Submit(Request(2, 5)).ok());
  EXPECT_TRUE(inbox.Submit(Request(3, 5)).ok());  // one of them has a place
  EXPECT_EQ(inbox.Submit(Request(4, 5)).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(inbox.refused(), 1);
  EXPECT_EQ(inbox.queued(), 3);
  inbox.Left(5);
  inbox.SetRunning(1);
  EXPECT_EQ(inbox.Submit(Request(5, 5)).code(), absl::StatusCode::kResourceExhausted);
  inbox.Left(5);
  EXPECT_TRUE(inbox.Submit(Request(6, 5)).ok());
}

TEST(Inbox, BoundsTheQueueByTokens) {
  Inbox inbox({.requests = 100, .tokens = 50, .running = 1});
  EXPECT_TRUE(inbox.Submit(Request(1, 80)).ok());  // alone, any prompt that fits the context
  EXPECT_EQ(inbox.Submit(Request(2, 1)).code(), absl::StatusCode::kResourceExhausted);
  inbox.Left(80);
  EXPECT_TRUE(inbox.Submit(Request(3, 30)).ok());
  EXPECT_TRUE(inbox.Submit(Request(4, 20)).ok());
  EXPECT_EQ(inbox.Submit(Request(5, 1)).code(), absl::StatusCode::kResourceExhausted);
}

TEST(Inbox, HandsOverWhatWasAskedOnce) {
  Inbox inbox({.requests = 4, .tokens = 100, .running = 1});
  std::thread asker([&] {
    EXPECT_TRUE(inbox.Submit(Request(1, 5)).ok());
    inbox.Cancel(1);
    inbox.SetPaused(1, true);
    inbox.Prefetch({{1, 2}, "salt"});
  });
  asker.join();
  const Inbox::Commands commands = inbox.Take(/*wait=*/true);
  EXPECT_EQ(commands.submitted.size(), 1u);
  EXPECT_EQ(commands.cancelled, std::vector<RequestId>{1});
  EXPECT_EQ(commands.paused.size(), 1u);
  EXPECT_EQ(commands.prefetches.size(), 1u);
  EXPECT_TRUE(inbox.Take(/*wait=*/false).empty());
}

TEST(Inbox, WaitsUntilSomethingIsAsked) {
  Inbox inbox({.requests = 4, .tokens = 100, .running = 1});
  std::thread stopper([&] { inbox.Stop(); });
  EXPECT_TRUE(inbox.Take(/*wait=*/true).stop);
  stopper.join();
  EXPECT_EQ(inbox.Submit(Request(1, 1)).code(), absl::StatusCode::kUnavailable);
}

TEST(Inbox, KeepsTheLatestPrefetches) {
  Inbox inbox({.requests = 4, .tokens = 100, .running = 1});
  for (int32_t i = 0; i < 1000; ++i) inbox.Prefetch({{i}, ""});
  const Inbox::Commands commands = inbox.Take(false);
  ASSERT_EQ(commands.prefetches.size(), Inbox::kMaxPrefetches);
  EXPECT_EQ(commands.prefetches.back().tokens[0], 999);
}

}  // namespace
}  // namespace infer
