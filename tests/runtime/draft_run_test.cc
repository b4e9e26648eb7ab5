// SPDX-License-Identifier: Apache-2.0
#include "runtime/draft_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace infer {
namespace {

using ::testing::ElementsAre;

class FixedDrafter : public Drafter {
 public:
  absl::Status Propose(std::span<const int32_t>, int64_t most, const std::atomic<bool>* stop,
                       std::vector<int32_t>* draft) override {
    if (stop != nullptr && *stop) return absl::CancelledError("stopped");
    draft->assign({11, 12, 13});
    if (most < 3) draft->resize(static_cast<size_t>(most));
    return absl::OkStatus();
  }
};

class ForcedTokens : public TokenConstraint {
 public:
  void Force(int64_t most, std::vector<int32_t>* tokens) const override {
    for (int64_t i = 0; i < most && i < 2; ++i) tokens->push_back(static_cast<int32_t>(21 + i));
  }
  bool Allows(int32_t) const override { return true; }
  void Refuse(std::span<float>) const override {}
  void Accept(int32_t) override {}
};

const std::vector<int32_t> kText = {1, 2, 3};

std::vector<int32_t> CallOf(DraftRun& run, int64_t room) {
  const auto call = run.NextCall(kText, room);
  EXPECT_TRUE(call.ok()) << call.status();
  return {call->begin(), call->end()};
}

TEST(DraftRun, WithoutADrafterIsTheLastToken) {
  DraftRun run({});
  EXPECT_FALSE(run.Continue(1));
  EXPECT_THAT(CallOf(run, 7), ElementsAre(3));
  EXPECT_FALSE(run.Continue(4));
  EXPECT_EQ(run.End().proposed, 0);
  EXPECT_EQ(run.counts().calls, 1);
  EXPECT_EQ(run.counts().gain(), 0);  // unknown
}

TEST(DraftRun, FollowsTheDraftUntilATokenDiffers) {
  FixedDrafter drafter;
  DraftRun run({.drafter = &drafter});
  EXPECT_THAT(CallOf(run, 7), ElementsAre(3, 11, 12, 13));
  EXPECT_EQ(run.row(), 0);
  EXPECT_TRUE(run.Continue(11));
  EXPECT_EQ(run.row(), 1);
  EXPECT_FALSE(run.Continue(99));
  const DraftCounts done = run.End();
  EXPECT_EQ(done.proposed, 3);
  EXPECT_EQ(done.accepted, 1);
  EXPECT_EQ(run.row(), 0);
  EXPECT_EQ(run.End().calls, 0);  // nothing since
  EXPECT_EQ(run.counts().calls, 1);
}

TEST(DraftRun, KeepsToTheRoomAndTheLength) {
  FixedDrafter drafter;
  DraftRun run({.drafter = &drafter});
  EXPECT_THAT(CallOf(run, 2), ElementsAre(3, 11, 12));
  EXPECT_THAT(CallOf(run, 0), ElementsAre(3));
  EXPECT_THAT(CallOf(run, -5), ElementsAre(3));
  // A call with a draft costs as much as one for each of its tokens: nothing to gain.
  DraftLength length({1, 2, 3, 4, 5, 6, 7, 8}, 3);
  DraftRun dear({.drafter = &drafter, .length = &length});
  for (int i = 0; i < 100; ++i) EXPECT_THAT(CallOf(dear, 7), ElementsAre(3));
}

TEST(DraftRun, ForcedTokensAreRunAheadWhateverDraftsCost) {
  FixedDrafter drafter;
  ForcedTokens forced;
  DraftLength length({1, 2, 3, 4, 5, 6, 7, 8}, 3);
  DraftRun run({.drafter = &drafter, .length = &length, .constraint = &forced});
  EXPECT_THAT(CallOf(run, 7), ElementsAre(3, 21, 22));
  EXPECT_THAT(CallOf(run, 1), ElementsAre(3, 21));
}

TEST(DraftRun, CountsTheGainByTheCosts) {
  FixedDrafter drafter;
  DraftLength length({10, 11, 12, 13, 20, 30, 40, 50}, 3);
  DraftRun run({.drafter = &drafter, .length = &length});
  EXPECT_THAT(CallOf(run, 7), ElementsAre(3, 11, 12, 13));
  for (int32_t token : {11, 12, 13}) EXPECT_TRUE(run.Continue(token));
  EXPECT_DOUBLE_EQ(run.End().cost, 1.3);
  EXPECT_DOUBLE_EQ(run.counts().gain(), 4 / 1.3);
}

TEST(DraftRun, PassesOnThatItWasStopped) {
  FixedDrafter drafter;
  const std::atomic<bool> stop = true;
  DraftRun run({.drafter = &drafter, .stop = &stop});
  EXPECT_EQ(run.NextCall(kText, 7).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(run.End().calls, 0);
}

}  // namespace
}  // namespace infer
