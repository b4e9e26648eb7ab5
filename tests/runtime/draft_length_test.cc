// SPDX-License-Identifier: Apache-2.0
#include "runtime/draft_length.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace infer {
namespace {

// A call of four tokens takes 1.24 times one of one token.
std::array<double, kMaxDraft + 1> Costs(double per_token) {
  std::array<double, kMaxDraft + 1> costs;
  for (size_t k = 0; k < costs.size(); ++k) costs[k] = 1 + per_token * static_cast<double>(k);
  return costs;
}

TEST(DraftLength, BeginsWithTheUsualNumber) { EXPECT_EQ(DraftLength(Costs(0.08), 3).Next(), 3); }

TEST(DraftLength, GrowsWhenAlmostAllAreAccepted) {
  DraftLength length(Costs(0.08), 3);
  for (int i = 0; i < 40; ++i) length.Done(length.Next(), 7);
  EXPECT_EQ(length.Next(), kMaxDraft);
}

TEST(DraftLength, StopsWhenNoneIsAcceptedButTriesAgain) {
  DraftLength length(Costs(0.08), 3);
  int64_t drafted = 0;
  for (int i = 0; i < 400; ++i) {
    const int64_t next = length.Next();
    if (i >= 100) drafted += next;
    if (next > 0) length.Done(next, 0);
  }
  EXPECT_GT(drafted, 0);
  EXPECT_LT(drafted, 30) << "of 300 calls";
  for (int i = 0; i < 2000; ++i) {
    const int64_t next = length.Next();
    if (next > 0) length.Done(next, next);
  }
  EXPECT_GE(length.Next(), 3) << "the text has begun to repeat itself";
}

TEST(DraftLength, DoesNotDraftWhereTokensCostAsMuchAsCalls) {
  DraftLength length(Costs(1.0), 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(length.Next(), 0) << i;  // not even to try
}

TEST(DraftLength, ATrialStaysDueUntilThereIsSomethingToPropose) {
  DraftLength length(Costs(0.08), 3);
  for (int i = 0; i < 20; ++i) length.Done(3, 0);
  int calls = 0;
  while (length.Next() == 0) ASSERT_LT(++calls, 200);
  EXPECT_EQ(length.Next(), 1) << "nothing was proposed yet";
  length.Done(1, 0);
  EXPECT_EQ(length.Next(), 0);
}

TEST(DraftLength, NoCallIsShorterForMoreTokens) {
  DraftLength length(Costs(0.08), 3);
  length.Took(3, 13);
  length.Took(0, 500);  // another program had the core
  EXPECT_DOUBLE_EQ(length.CostOf(3), 1);
  length.Took(0, 10);
  EXPECT_NEAR(length.CostOf(3), 1, 0.3);
}

TEST(DraftLength, MeasuredTimesReplaceEstimates) {
  // By the estimates a draft of three costs a quarter of a call; it takes three more calls' time.
  DraftLength length(Costs(0.08), 3);
  EXPECT_EQ(length.Next(), 3);
  length.Took(3, 40);
  EXPECT_EQ(length.Next(), 0) << "to know what a call without a draft takes";
  length.Took(0, 10);
  EXPECT_DOUBLE_EQ(length.CostOf(3), 4);
  EXPECT_DOUBLE_EQ(length.CostOf(1), 1.08) << "an estimate in measured units";
  EXPECT_DOUBLE_EQ(length.CostOf(4), 4 * 1.32 / 1.24);
  for (int i = 0; i < 40; ++i) {
    const int64_t next = length.Next();
    length.Took(next, 10.0 * static_cast<double>(1 + next));
    length.Done(next, next);
  }
  EXPECT_EQ(length.Next(), 0) << "no draft pays, even if all of it is accepted";
}

TEST(DraftLength, ADelayedCallCountsLittle) {
  DraftLength length(Costs(0.08), 3);
  length.Took(0, 10);
  length.Took(3, 13);
  length.Took(3, 13000);
  EXPECT_LT(length.CostOf(3), 1.3 * 1.2);
}

TEST(DraftLength, WhatFollowsARefusedTokenIsNotJudged) {
  DraftLength one(Costs(0.08), 3), seven(Costs(0.08), 3);
  for (int i = 0; i < 5; ++i) {
    one.Done(2, 1);
    seven.Done(7, 1);
  }
  EXPECT_EQ(one.Next(), seven.Next());
}

}  // namespace
}  // namespace infer
