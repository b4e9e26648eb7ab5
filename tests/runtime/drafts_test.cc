// SPDX-License-Identifier: Apache-2.0
//
// Drafts change how many tokens a call runs and never the text. INFER_TEST_PROMPTS sets the number
// of prompts (500 in a full run).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ir/base/strings.h"
#include "runtime/generation.h"
#include "runtime/model_drafter.h"
#include "runtime/ngram_drafter.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

using test::LoadedModel;

class Decoder : public TextDecoder {
 public:
  void Append(int32_t id, std::string* out) override { *out += StrCat("<", id, ">"); }
  void Flush(std::string*) override {}
};

// Proposes tokens at random, which are hardly ever right.
class RandomDrafter : public Drafter {
 public:
  absl::Status Propose(std::span<const int32_t>, int64_t most, const std::atomic<bool>*,
                       std::vector<int32_t>* draft) override {
    draft->clear();
    for (int64_t i = static_cast<int64_t>(random_() % static_cast<uint64_t>(most + 1)); i > 0;
         --i) {
      draft->push_back(static_cast<int32_t>(random_() % 4096));
    }
    return absl::OkStatus();
  }

 private:
  std::mt19937 random_{5};
};

// Knows the whole text and proposes it, wrong at every `wrong_every`th token.
class KnowingDrafter : public Drafter {
 public:
  KnowingDrafter(std::vector<int32_t> text, int wrong_every)
      : text_(std::move(text)), wrong_every_(wrong_every) {}
  absl::Status Propose(std::span<const int32_t> text, int64_t most, const std::atomic<bool>*,
                       std::vector<int32_t>* draft) override {
    draft->clear();
    for (size_t i = text.size(); i < text_.size() && std::ssize(*draft) < most; ++i) {
      draft->push_back(++count_ % wrong_every_ == 0 ? 1 : text_[i]);
    }
    return absl::OkStatus();
  }

 private:
  std::vector<int32_t> text_;
  int wrong_every_;
  int count_ = 0;
};

// Allows tokens of one parity by the place in the text, and forces three in a row at every tenth.
class Pattern : public TokenConstraint {
 public:
  void Force(int64_t most, std::vector<int32_t>* tokens) const override {
    for (int64_t at = count_; most > 0 && at % 10 >= 4 && at % 10 < 7; ++at, --most) {
      tokens->push_back(static_cast<int32_t>(500 + at % 10));
    }
  }
  bool Allows(int32_t token) const override { return token % 2 != count_ % 2; }
  void Refuse(std::span<float> logits) const override {
    for (size_t id = static_cast<size_t>(count_ % 2); id < logits.size(); id += 2) {
      logits[id] = -INFINITY;
    }
  }
  void Accept(int32_t) override { ++count_; }

 private:
  int64_t count_ = 0;
};

int Prompts() {
  const char* text = std::getenv("INFER_TEST_PROMPTS");
  return text == nullptr ? 4 : std::max(1, std::atoi(text));
}

class Drafts : public ::testing::Test {
 protected:
  static const LoadedModel& Model() {
    static const auto* model = new LoadedModel("");
    return *model;
  }
  void SetUp() override {
    session_ = Model().NewSession(
        {.policy = "auto", .context = 160, .chunk = 32, .logit_rows = kMaxDraft + 1});
    // Not a smaller model, but another one: scalar, with a coarser cache and less context.
    small_ = Model().NewSession(
        {.policy = "scalar", .kv_type = DType::kQ8_0, .context = 96, .chunk = 32});
  }
  GenerationResult Run(const std::vector<int32_t>& prompt, GenerationOptions options,
                       Drafter* drafter) {
    options.drafter = drafter;
    Pattern pattern;
    if (is_constrained_) options.constraint = &pattern;
    Decoder decoder;
    text_.clear();
    GenerationCallbacks callbacks;
    callbacks.on_text = [this](std::string_view text) {
      text_ += text;
      return true;
    };
    session_->Clear();
    absl::StatusOr<GenerationResult> result =
        Generate(*session_, prompt, options, decoder, callbacks);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : GenerationResult();
  }
  static std::vector<int32_t> TextOf(std::vector<int32_t> prompt, const GenerationResult& result) {
    prompt.insert(prompt.end(), result.ids.begin(), result.ids.end());
    return prompt;
  }
  // Compares with every kind of draft, and returns the text without.
  GenerationResult ExpectSame(const std::vector<int32_t>& prompt,
                              const GenerationOptions& options) {
    const GenerationResult plain = Run(prompt, options, nullptr);
    const std::string text = text_;
    const std::vector<int32_t> held(session_->tokens().begin(), session_->tokens().end());
    if (!is_constrained_) {
      EXPECT_EQ(plain.drafts.proposed, 0);
    }
    const std::vector<int32_t> whole = TextOf(prompt, plain);
    NgramDrafter ngram;
    RandomDrafter random;
    KnowingDrafter knowing(whole, 1 << 30), half(whole, 5);
    ModelDrafter by_model(small_.get(), session_->vocabulary());
    Drafter* drafters[] = {&ngram, &random, &knowing, &half, &by_model};
    for (size_t i = 0; i < std::size(drafters); ++i) {
      const GenerationResult drafted = Run(prompt, options, drafters[i]);
      EXPECT_EQ(drafted.ids, plain.ids) << "drafter " << i;
      EXPECT_EQ(drafted.reason, plain.reason) << "drafter " << i;
      EXPECT_EQ(text_, text) << "drafter " << i;
      EXPECT_TRUE(std::ranges::equal(session_->tokens(), held)) << "drafter " << i;
      EXPECT_LE(drafted.drafts.accepted, drafted.drafts.proposed);
    }
    return plain;
  }
  std::vector<int32_t> RandomPrompt(std::mt19937& random) {
    std::vector<int32_t> prompt(1 + random() % 40);
    for (int32_t& id : prompt) id = static_cast<int32_t>(300 + random() % 500);
    // Half of it again, so that there is something to copy.
    const auto half = static_cast<std::ptrdiff_t>(prompt.size() / 2);
    prompt.insert(prompt.end(), prompt.begin(), prompt.begin() + half);
    return prompt;
  }

  std::unique_ptr<Session> session_, small_;
  std::string text_;
  bool is_constrained_ = false;
};

TEST_F(Drafts, GiveTheSameTextGreedilyAndSampled) {
  std::mt19937 random(2);
  for (int i = 0; i < Prompts(); ++i) {
    GenerationOptions options;
    options.max_tokens = 40;
    options.sampler.temperature = i % 2 == 0 ? 0 : 0.8;
    options.sampler.seed = static_cast<uint64_t>(i);
    if (i % 4 == 3) options.sampler.repeat_penalty = 1.2f;
    ExpectSame(RandomPrompt(random), options);
  }
}

TEST_F(Drafts, EndWhereTheTextEnds) {
  std::mt19937 random(3);
  const std::vector<int32_t> prompt = RandomPrompt(random);
  GenerationOptions options;
  options.sampler.temperature = 0;
  options.max_tokens = 30;
  const std::vector<int32_t> ids = Run(prompt, options, nullptr).ids;
  ASSERT_GT(ids.size(), 12u);
  options.stop = {StrCat("<", ids[9], ">")};
  EXPECT_EQ(ExpectSame(prompt, options).reason, StopReason::kStopString);
  options.stop.clear();
  options.end_ids = {ids[7]};
  EXPECT_EQ(ExpectSame(prompt, options).reason, StopReason::kEndToken);
  options.end_ids.clear();
  options.max_tokens = 1000;
  EXPECT_EQ(ExpectSame(prompt, options).reason, StopReason::kContextFull);
}

TEST_F(Drafts, KeepToAConstraint) {
  is_constrained_ = true;
  std::mt19937 random(4);
  for (int i = 0; i < Prompts(); ++i) {
    GenerationOptions options;
    options.max_tokens = 33;
    options.sampler.temperature = i % 2 == 0 ? 0 : 0.8;
    options.sampler.seed = static_cast<uint64_t>(i);
    const GenerationResult made = ExpectSame(RandomPrompt(random), options);
    ASSERT_EQ(made.ids.size(), 33u);
    for (size_t at = 0; at < made.ids.size(); ++at) {
      const size_t place = at % 10;
      if (place >= 4 && place < 7) {
        EXPECT_EQ(made.ids[at], 500 + static_cast<int32_t>(place)) << at;
      } else {
        EXPECT_NE(made.ids[at] % 2, static_cast<int32_t>(at % 2)) << at;
      }
    }
    // Three forced tokens go with the one before them: of 32 tokens that are run, 9 cost no call.
    EXPECT_EQ(made.drafts.accepted, 9);
    EXPECT_EQ(made.drafts.calls, 23);
  }
}

// Guesses right, and takes longer than the calls that it saves.
class SlowDrafter : public KnowingDrafter {
 public:
  using KnowingDrafter::KnowingDrafter;
  static constexpr std::chrono::milliseconds kDelay{50};
  absl::Status Propose(std::span<const int32_t> text, int64_t most, const std::atomic<bool>* stop,
                       std::vector<int32_t>* draft) override {
    std::this_thread::sleep_for(kDelay);
    return KnowingDrafter::Propose(text, most, stop, draft);
  }
};

TEST_F(Drafts, TheTimeOfGuessingCounts) {
  GenerationOptions options;
  options.sampler.temperature = 0;
  options.max_tokens = 6;  // one of the prompt, four of a call with the usual draft, one more
  const std::vector<int32_t> prompt = {993, 1312, 258};
  const GenerationResult plain = Run(prompt, options, nullptr);
  SlowDrafter slow(TextOf(prompt, plain), 1 << 30);
  DraftLength length({10, 11, 12, 13, 14, 15, 16, 17}, 3);
  options.draft_length = &length;
  const GenerationResult drafted = Run(prompt, options, &slow);
  EXPECT_EQ(drafted.ids, plain.ids);
  const int64_t proposed = drafted.drafts.proposed;
  ASSERT_EQ(proposed, 3);
  // Calls without a draft take a millisecond from here on.
  for (int i = 0; i < 200; ++i) length.Took(0, 1);
  EXPECT_GE(length.CostOf(proposed), 0.99 * SlowDrafter::kDelay.count());
  EXPECT_LT(length.Next(), proposed);
}

TEST_F(Drafts, LeaveNothingBehindIfTheTextEndsWithAnError) {
  GenerationOptions options;
  options.sampler.temperature = 0;
  options.max_tokens = 20;
  const std::vector<int32_t> prompt = {993, 1312, 258};
  const std::vector<int32_t> whole = TextOf(prompt, Run(prompt, options, nullptr));
  KnowingDrafter knowing(whole, 1 << 30);
  options.drafter = &knowing;
  Decoder decoder;
  GenerationCallbacks callbacks;
  int tokens = 0;
  callbacks.on_token = [&](int32_t) {
    if (++tokens == 5) throw std::runtime_error("enough");
  };
  session_->Clear();
  EXPECT_THROW((void)Generate(*session_, prompt, options, decoder, callbacks), std::runtime_error);
  // Four tokens were run; the fifth was sampled.
  EXPECT_TRUE(std::ranges::equal(session_->tokens(), std::span(whole).first(prompt.size() + 4)));
}

TEST_F(Drafts, ARightDraftSavesCalls) {
  GenerationOptions options;
  options.sampler.temperature = 0;
  options.max_tokens = 33;
  const std::vector<int32_t> prompt = {993, 1312, 258};
  const GenerationResult plain = Run(prompt, options, nullptr);
  EXPECT_EQ(plain.drafts.calls, 32);
  KnowingDrafter knowing(TextOf(prompt, plain), 1 << 30);
  const GenerationResult drafted = Run(prompt, options, &knowing);
  EXPECT_EQ(drafted.drafts.calls, 4);  // 32 tokens, 8 at a time
  EXPECT_EQ(drafted.drafts.accepted, drafted.drafts.proposed);
  EXPECT_EQ(session_->metrics().Finish().draft_accepted, drafted.drafts.accepted);
}

}  // namespace
}  // namespace infer
