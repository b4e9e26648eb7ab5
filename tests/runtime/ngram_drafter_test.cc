// SPDX-License-Identifier: Apache-2.0
#include "runtime/ngram_drafter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int32_t> Draft(NgramDrafter& drafter, const std::vector<int32_t>& text,
                           int64_t most = 3) {
  std::vector<int32_t> draft;
  EXPECT_TRUE(drafter.Propose(text, most, nullptr, &draft).ok());
  return draft;
}

TEST(NgramDrafter, ProposesWhatFollowedBefore) {
  NgramDrafter drafter;
  EXPECT_THAT(Draft(drafter, {1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4}), ElementsAre(5, 6, 7));
  EXPECT_THAT(Draft(drafter, {1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4}, 1), ElementsAre(5));
  EXPECT_THAT(Draft(drafter, {1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4}, 0), IsEmpty());
}

TEST(NgramDrafter, AShortSuffixSaysLess) {
  NgramDrafter drafter;
  EXPECT_THAT(Draft(drafter, {1, 2, 3, 4, 5, 6, 1, 2}), ElementsAre(3));
  EXPECT_THAT(Draft(drafter, {1, 2, 3, 4, 5, 6, 1, 2, 3}), ElementsAre(4, 5));
}

TEST(NgramDrafter, TheLongestSuffixDecides) {
  NgramDrafter drafter;
  EXPECT_THAT(Draft(drafter, {9, 1, 2, 7, 8, 1, 2, 5, 9, 1, 2}, 1), ElementsAre(7));
}

TEST(NgramDrafter, OfEqualSuffixesTheLastDecides) {
  NgramDrafter drafter;
  EXPECT_THAT(Draft(drafter, {1, 2, 7, 0, 1, 2, 8, 0, 0, 1, 2}, 1), ElementsAre(8));
}

TEST(NgramDrafter, ProposesNothingWithoutARepetition) {
  NgramDrafter drafter;
  EXPECT_THAT(Draft(drafter, {}), IsEmpty());
  EXPECT_THAT(Draft(drafter, {1}), IsEmpty());
  EXPECT_THAT(Draft(drafter, {1, 1}), IsEmpty());
  EXPECT_THAT(Draft(drafter, {1, 2, 3, 4, 5, 6, 7, 2}), IsEmpty()) << "one token says too little";
}

TEST(NgramDrafter, ARunOfOneTokenGoesOn) {
  NgramDrafter drafter;
  EXPECT_THAT(Draft(drafter, {5, 5, 5, 5}, 3), ElementsAre(5, 5));
  EXPECT_THAT(Draft(drafter, {1, 2, 1, 2, 1, 2}, 5), ElementsAre(1, 2, 1, 2, 1));
}

TEST(NgramDrafter, FollowsATextThatGrowsIsCutAndIsReplaced) {
  NgramDrafter drafter;
  std::vector<int32_t> text = {1, 2, 3, 4, 1, 2};
  EXPECT_THAT(Draft(drafter, text, 2), ElementsAre(3));
  text.insert(text.end(), {3, 9, 2, 3});
  EXPECT_THAT(Draft(drafter, text, 1), ElementsAre(9));
  text.resize(4);
  EXPECT_THAT(Draft(drafter, text), IsEmpty()) << "what was cut is forgotten";
  EXPECT_THAT(Draft(drafter, {7, 7, 2, 3}), IsEmpty());
  EXPECT_THAT(Draft(drafter, {8, 2, 3, 6, 2, 3}, 1), ElementsAre(6));
}

// The same as looking for the longest suffix at every place, but that a slot forgets.
TEST(NgramDrafter, EveryProposalFollowedSuchASuffix) {
  std::mt19937 random(1);
  for (int64_t memory : {16, 1 << 14}) {
    NgramDrafter drafter(memory);
    std::vector<int32_t> text;
    int64_t proposals = 0;
    for (int i = 0; i < 3000; ++i) {
      text.push_back(static_cast<int32_t>(random() % 6));
      const std::vector<int32_t> draft = Draft(drafter, text, 4);
      if (draft.empty()) continue;
      ++proposals;
      std::vector<int32_t> wanted(text.end() - NgramDrafter::kShortest, text.end());
      wanted.push_back(draft[0]);
      ASSERT_NE(std::ranges::search(text, wanted).begin(), text.end()) << i;
    }
    EXPECT_GT(proposals, memory > 16 ? 2900 : 100);
  }
}

TEST(NgramDrafter, ItsMemoryHasABound) {
  NgramDrafter drafter(1 << 10);
  std::vector<int32_t> text;
  for (int i = 0; i < 5000; ++i) text.push_back(i % 977);
  Draft(drafter, text);
  EXPECT_LE(drafter.bytes(), 3 * (1 << 10) * 4 + 5000 * 4u);
}

}  // namespace
}  // namespace infer
