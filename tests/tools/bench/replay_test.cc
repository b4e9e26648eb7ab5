// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "runtime/ngram_drafter.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

constexpr int64_t kReplayPrompt = 24;

// Tokens that repeat themselves after 12, or never.
std::vector<int32_t> Text(bool repeats, size_t tokens) {
  std::vector<int32_t> ids(tokens);
  for (size_t i = 0; i < tokens; ++i) ids[i] = static_cast<int32_t>(300 + (repeats ? i % 12 : i));
  return ids;
}

class ReplayTest : public ::testing::Test {
 protected:
  void Load(int32_t sequences) {
    CompileModelOptions options = {.policy = "auto", .context = 128, .chunk = 128};
    options.sequences = sequences;
    options.logit_rows = sequences * (1 + kMaxDraft);
    auto executable =
        Executable::CreateAlone(model_.Compile(options), model_.weights(), model_.registry());
    ASSERT_TRUE(executable.ok()) << executable.status();
    auto engine = Engine::Create(*executable, {.context = 128, .sequences = sequences});
    ASSERT_TRUE(engine.ok()) << engine.status();
    engine_ = *std::move(engine);
  }
  ReplayedText Start(std::span<const int32_t> tokens, Drafter* drafter) {
    ReplayedText text{engine_->NewSequence().value(), tokens, {.drafter = drafter}};
    const StepRequest prompt{text.sequence, tokens.first(kReplayPrompt), 1};
    EXPECT_TRUE(engine_->Step({&prompt, 1}).ok());
    return text;
  }

  const test::LoadedModel model_{""};
  std::unique_ptr<Engine> engine_;
};

TEST_F(ReplayTest, RunsTheTextWithAndWithoutDrafts) {
  Load(1);
  const std::vector<int32_t> tokens = Text(true, 80);
  for (const bool drafts : {false, true}) {
    NgramDrafter ngram;
    const ReplayedText text = Start(tokens, drafts ? &ngram : nullptr);
    const auto counts = Replay(*engine_, {&text, 1}, nullptr);
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_TRUE(std::ranges::equal(engine_->tokens(text.sequence), tokens));
    EXPECT_EQ(counts->calls + counts->drafts.accepted, 80 - kReplayPrompt);
    EXPECT_EQ(counts->calls, drafts ? 7 : 56);  // eight tokens at a time
    engine_->Release(text.sequence);
  }
}

TEST_F(ReplayTest, ANewTextHasNothingToCopy) {
  Load(1);
  const std::vector<int32_t> tokens = Text(false, 60);
  NgramDrafter ngram;
  const ReplayedText text = Start(tokens, &ngram);
  const auto counts = Replay(*engine_, {&text, 1}, nullptr);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->drafts.proposed, 0);
  EXPECT_EQ(counts->calls, 60 - kReplayPrompt);
}

TEST_F(ReplayTest, SequencesOfDifferentLengthsShareCalls) {
  Load(3);
  const std::vector<int32_t> copies = Text(true, 80), news = Text(false, 60), one = Text(true, 25);
  NgramDrafter ngram[3];
  const ReplayedText texts[] = {Start(copies, &ngram[0]), Start(news, &ngram[1]),
                                Start(one, &ngram[2])};
  const auto counts = Replay(*engine_, texts, nullptr);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_TRUE(std::ranges::equal(engine_->tokens(texts[0].sequence), copies));
  EXPECT_TRUE(std::ranges::equal(engine_->tokens(texts[1].sequence), news));
  EXPECT_TRUE(std::ranges::equal(engine_->tokens(texts[2].sequence), one));
  EXPECT_EQ(counts->drafts.calls, 7 + 36 + 1);
  EXPECT_EQ(counts->calls, 36) << "the longest";
}

TEST_F(ReplayTest, IsStopped) {
  Load(1);
  const std::vector<int32_t> tokens = Text(true, 40);
  const ReplayedText text = Start(tokens, nullptr);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(Replay(*engine_, {&text, 1}, &stop).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace infer
