// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/step_planner.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace infer {
namespace {

// 10 ms and 1 ms for each token.
StepCost PlainCost() {
  return StepCost([](const SymbolValues& call) { return 10.0 + static_cast<double>(call.t); });
}
SymbolValues Decode(int64_t rows) {
  return {.t = rows, .r = rows, .s = 100 * rows, .sequences = rows};
}
constexpr PromptLoad kOne = {.prompts = 1};
constexpr StepLimits kLimits = {.max_tokens = 512, .step_ms = 60};

TEST(PromptBudget, FillsTheTimeInWholeTiles) {
  StepCost cost = PlainCost();
  EXPECT_EQ(PromptBudget(Decode(1), true, kOne, kLimits, cost), 47);  // 48 tokens, 58 ms
  EXPECT_EQ(PromptBudget(Decode(8), true, kOne, kLimits, cost), 40);
}

TEST(PromptBudget, IsAWholeCallIfNobodyStreams) {
  StepCost cost = PlainCost();
  EXPECT_EQ(PromptBudget(Decode(0), false, kOne, kLimits, cost), 512);
}

TEST(PromptBudget, AlwaysMovesPrompts) {
  StepCost cost = PlainCost();
  EXPECT_EQ(PromptBudget(Decode(60), true, {.prompts = 0}, kLimits, cost), kLeastTokens);
  EXPECT_EQ(PromptBudget(Decode(508), true, kOne, kLimits, cost), 4);
  EXPECT_EQ(PromptBudget(Decode(512), true, kOne, kLimits, cost), 0);
}

// 64 rows take 74 ms, more than a call should.
TEST(PromptBudget, GrowsWithThePromptsThatWait) {
  StepCost cost = PlainCost();
  const auto budget = [&](int64_t prompts) {
    return PromptBudget(Decode(64), true, {.prompts = prompts}, kLimits, cost);
  };
  EXPECT_EQ(budget(1), 32);   // 96 tokens, 106 ms of 111
  EXPECT_EQ(budget(2), 64);   // 138 ms of 148
  EXPECT_EQ(budget(4), 144);  // 218 ms of 222
  EXPECT_EQ(budget(60), 144);
}

TEST(PromptBudget, NeverExceedsACall) {
  StepCost fast([](const SymbolValues&) { return 1.0; });
  EXPECT_EQ(PromptBudget(Decode(3), true, kOne, kLimits, fast), 509);
  const StepLimits odd = {.max_tokens = 100, .step_ms = 60};
  EXPECT_LE(PromptBudget(Decode(3), true, kOne, odd, fast), 97);
}

TEST(DivideBudget, ServesShortPromptsFirst) {
  TenantShares shares;
  const std::vector<PromptWork> prompts = {
      {.remaining = 900}, {.remaining = 30}, {.remaining = 20}};
  const std::vector<PromptPart> parts = DivideBudget(64, prompts, shares);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].prompt, 2u);
  EXPECT_EQ(parts[1].prompt, 1u);
  EXPECT_EQ(parts[2].prompt, 0u);
  EXPECT_EQ(parts[2].tokens, 14);
}

TEST(DivideBudget, WaitingCountsSoThatNoneStarves) {
  TenantShares shares;
  const std::vector<PromptWork> prompts = {{.remaining = 4000, .age_ms = 8000}, {.remaining = 100}};
  EXPECT_EQ(DivideBudget(16, prompts, shares)[0].prompt, 0u);
}

TEST(DivideBudget, AShortPromptMovesBesideALongOneThatHasWaited) {
  TenantShares shares;
  const std::vector<PromptWork> prompts = {
      {.remaining = 4000, .age_ms = 9000}, {.remaining = 64}, {.remaining = 3000}};
  std::vector<PromptPart> parts = DivideBudget(16, prompts, shares);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].prompt, 0u);
  EXPECT_EQ(parts[0].tokens, 8);
  EXPECT_EQ(parts[1].prompt, 1u);
  EXPECT_EQ(parts[1].tokens, 8);
  // What the short one does not need is the long one's.
  parts = DivideBudget(512, prompts, shares);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].tokens, 448);
  EXPECT_EQ(parts[1].tokens, 64);
}

TEST(DivideBudget, AShortPromptOfLowerPriorityWaits) {
  TenantShares shares;
  const std::vector<PromptWork> prompts = {{.remaining = 4000, .priority = 1}, {.remaining = 64}};
  const std::vector<PromptPart> parts = DivideBudget(16, prompts, shares);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].tokens, 16);
}

TEST(DivideBudget, PriorityComesFirstWithinATenant) {
  TenantShares shares;
  const std::vector<PromptWork> prompts = {
      {.remaining = 10}, {.remaining = 5000, .priority = 1}, {.remaining = 9, .age_ms = 25'000}};
  EXPECT_EQ(DivideBudget(16, prompts, shares)[0].prompt, 2u);  // has waited for two steps of it
  EXPECT_EQ(DivideBudget(16, std::span(prompts).first(2), shares)[0].prompt, 1u);
}

TEST(DivideBudget, TenantsGetEqualShares) {
  TenantShares shares;
  std::vector<PromptWork> prompts = {{.tenant = "a", .remaining = 100'000},
                                     {.tenant = "a", .remaining = 100'000},
                                     {.tenant = "b", .remaining = 100'000}};
  std::vector<int64_t> served(3);
  for (int step = 0; step < 500; ++step) {
    for (const PromptPart& part : DivideBudget(48, prompts, shares)) {
      served[part.prompt] += part.tokens;
      prompts[part.prompt].remaining -= part.tokens;
    }
  }
  EXPECT_EQ(std::accumulate(served.begin(), served.end(), int64_t{0}), 500 * 48);
  EXPECT_NEAR(static_cast<double>(served[2]), 250.0 * 48, 600);
}

}  // namespace
}  // namespace infer
