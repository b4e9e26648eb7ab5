// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/perplexity.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/model/loaded_model.h"

namespace infer {
namespace {

TEST(LogProbability, IsTheLogarithmOfSoftmax) {
  std::vector<float> even(8, 3.0f);
  EXPECT_NEAR(LogProbability(even, 5), -std::log(8.0), 1e-12);
  std::vector<float> two = {0.0f, std::log(3.0f)};
  EXPECT_NEAR(LogProbability(two, 0), std::log(0.25), 1e-7);
  EXPECT_NEAR(LogProbability(two, 1), std::log(0.75), 1e-7);
}

TEST(LogProbability, LargeLogitsDoNotOverflow) {
  std::vector<float> large = {1e4f, 1e4f, -1e4f};
  EXPECT_NEAR(LogProbability(large, 0), -std::log(2.0), 1e-12);
  EXPECT_NEAR(LogProbability(large, 2), -2e4 - std::log(2.0), 1e-9);
}

class StoppedPerplexity : public ::testing::Test {
 protected:
  StoppedPerplexity() : model_("random_untied.gguf"), tokens_(64) {
    CompileModelOptions options;
    options.policy = "scalar";
    options.context = kWindow;
    options.logit_rows = kWindow;
    session_ = model_.NewSession(options, {.context = kWindow});
    std::iota(tokens_.begin(), tokens_.end(), 1);
  }

  // Stops once `windows` are done; 0: before the first.
  absl::StatusOr<PerplexityResult> MeasureAndStopAfter(int64_t windows) {
    std::atomic<bool> stop = windows == 0;
    const auto on_window = [&](int64_t done, int64_t, double) { stop = done == windows; };
    return MeasurePerplexity(*session_, tokens_, kWindow, std::nullopt, on_window, &stop);
  }

  static constexpr int64_t kWindow = 16;
  test::LoadedModel model_;
  std::unique_ptr<Session> session_;
  std::vector<int32_t> tokens_;
};

TEST_F(StoppedPerplexity, IsThatOfTheWindowsSoFar) {
  const PerplexityResult whole = MeasureAndStopAfter(-1).value();
  EXPECT_FALSE(whole.is_part());
  EXPECT_EQ(whole.windows, 4);
  const PerplexityResult part = MeasureAndStopAfter(2).value();
  EXPECT_TRUE(part.is_part());
  EXPECT_EQ(part.windows, 2);
  EXPECT_EQ(part.total_windows, 4);
  tokens_.resize(2 * kWindow);
  const PerplexityResult half = MeasureAndStopAfter(-1).value();
  EXPECT_EQ(part.perplexity, half.perplexity);
  EXPECT_EQ(part.scored_tokens, half.scored_tokens);
}

TEST_F(StoppedPerplexity, HasNothingToSayBeforeTheFirstWindow) {
  EXPECT_TRUE(absl::IsCancelled(MeasureAndStopAfter(0).status()));
}

}  // namespace
}  // namespace infer
