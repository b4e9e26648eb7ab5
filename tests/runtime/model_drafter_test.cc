// SPDX-License-Identifier: Apache-2.0
#include "runtime/model_drafter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/model/loaded_model.h"

namespace infer {
namespace {

using test::LoadedModel;
using ::testing::IsEmpty;

class ModelDrafterTest : public ::testing::Test {
 protected:
  static const LoadedModel& Model() {
    static const auto* model = new LoadedModel("random_untied.gguf");
    return *model;
  }
  std::vector<int32_t> Propose(const std::vector<int32_t>& text, int64_t most) {
    std::vector<int32_t> draft = {5, 6};
    EXPECT_TRUE(drafter_.Propose(text, most, nullptr, &draft).ok());
    return draft;
  }

  std::unique_ptr<Session> session_ = Model().NewSession({.policy = "reference", .context = 16});
  ModelDrafter drafter_{session_.get(), session_->vocabulary()};
};

TEST_F(ModelDrafterTest, ProposesWhatTheModelWouldSay) {
  const std::vector<int32_t> text = {573, 476, 462};
  auto alone = Model().NewSession({.policy = "reference", .context = 16});
  const std::vector<int32_t> expected = test::ContinueGreedily(*alone, text, 4);
  EXPECT_EQ(Propose(text, 4), expected);
  EXPECT_EQ(Propose(text, 2), std::vector(expected.begin(), expected.begin() + 2));
  // Another text, and back.
  EXPECT_NE(Propose({17, 99}, 4), expected);
  EXPECT_EQ(Propose(text, 4), expected);
}

TEST_F(ModelDrafterTest, EndsWithItsContext) {
  EXPECT_THAT(Propose({1, 2}, 0), IsEmpty());
  EXPECT_EQ(Propose(std::vector<int32_t>(14, 7), 7).size(), 3u);
  EXPECT_EQ(Propose(std::vector<int32_t>(16, 7), 7).size(), 1u);
  EXPECT_THAT(Propose(std::vector<int32_t>(17, 7), 7), IsEmpty());
}

TEST_F(ModelDrafterTest, KeepsToTheTokensThatBothModelsKnow) {
  ModelDrafter few(session_.get(), 10);
  std::vector<int32_t> draft;
  const std::vector<int32_t> text = {573, 476, 462};
  ASSERT_TRUE(few.Propose(text, 4, nullptr, &draft).ok());
  ASSERT_EQ(draft.size(), 4u);
  for (int32_t id : draft) EXPECT_LT(id, 10);
  const std::vector<int32_t> unknown = {573, static_cast<int32_t>(session_->vocabulary())};
  ASSERT_TRUE(few.Begin(unknown, nullptr).ok());
  ASSERT_TRUE(few.Propose(unknown, 4, nullptr, &draft).ok());
  EXPECT_THAT(draft, IsEmpty());
}

TEST_F(ModelDrafterTest, BeginsWithThePrompt) {
  const std::vector<int32_t> text = {573, 476, 462};
  ASSERT_TRUE(drafter_.Begin(text, nullptr).ok());
  EXPECT_EQ(session_->tokens().size(), 3u);
}

TEST_F(ModelDrafterTest, IsStopped) {
  const std::atomic<bool> stop = true;
  std::vector<int32_t> draft;
  const std::vector<int32_t> text = {1, 2, 3};
  EXPECT_EQ(drafter_.Propose(text, 3, &stop, &draft).code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace infer
