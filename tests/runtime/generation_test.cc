// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ir/base/strings.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

using test::LoadedModel;
using ::testing::IsEmpty;

const LoadedModel& GenerationModel() {
  static const auto* model = new LoadedModel("random_untied.gguf");
  return *model;
}

// Each id is the text "<id>"; an unfinished character is played by `held`, which only Flush shows.
class FakeDecoder : public TextDecoder {
 public:
  void Append(int32_t id, std::string* out) override { *out += StrCat("<", id, ">"); }
  void Flush(std::string* out) override {
    *out += held;
    held.clear();
  }
  std::string held;
};

class GenerationTest : public ::testing::Test {
 protected:
  GenerationTest() {
    options_.sampler.temperature = 0;
    options_.max_tokens = 8;
    callbacks_.on_text = [this](std::string_view text) {
      text_ += text;
      return true;
    };
  }

  absl::StatusOr<GenerationResult> Generate(int64_t context = 64) {
    text_.clear();
    session_ =
        GenerationModel().NewSession({.policy = "reference", .context = context, .chunk = 4});
    return infer::Generate(*session_, prompt_, options_, decoder_, callbacks_);
  }

  GenerationResult Result(int64_t context = 64) {
    absl::StatusOr<GenerationResult> result = Generate(context);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : GenerationResult();
  }

  // The greedy tokens that every other test cuts short in its own way.
  const std::vector<int32_t>& Greedy() {
    if (greedy_.empty()) {
      auto session = GenerationModel().NewSession({.policy = "reference", .context = 64});
      greedy_ = test::ContinueGreedily(*session, prompt_, 8);
    }
    return greedy_;
  }
  std::vector<int32_t> FirstGreedy(int tokens) {
    return {Greedy().begin(), Greedy().begin() + tokens};
  }
  std::string TextOf(const std::vector<int32_t>& ids) {
    std::string text;
    for (int32_t id : ids) text += StrCat("<", id, ">");
    return text;
  }

  std::vector<int32_t> prompt_ = {573, 476, 462, 520, 17, 99};
  GenerationOptions options_;
  GenerationCallbacks callbacks_;
  FakeDecoder decoder_;
  std::string text_;
  std::unique_ptr<Session> session_;
  std::vector<int32_t> greedy_;
};

TEST_F(GenerationTest, ContinuesThePrompt) {
  std::vector<int32_t> seen;
  callbacks_.on_token = [&](int32_t id) { seen.push_back(id); };
  GenerationResult result = Result();
  EXPECT_EQ(result.ids, Greedy());
  EXPECT_EQ(result.reason, StopReason::kMaxTokens);
  EXPECT_EQ(text_, TextOf(Greedy()));
  EXPECT_EQ(seen, Greedy());
  EXPECT_EQ(session_->tokens().size(), prompt_.size() + 7);  // the last one was not run
  Metrics metrics = session_->metrics().Finish();
  EXPECT_EQ(metrics.decode_tokens, 7);
  EXPECT_GT(metrics.time_to_first_token_ms, 0);
}

TEST_F(GenerationTest, EndTokenEndsAndIsNotShown) {
  ASSERT_NE(Greedy()[2], Greedy()[0]);
  ASSERT_NE(Greedy()[2], Greedy()[1]);
  options_.end_ids = {767, Greedy()[2]};
  GenerationResult result = Result();
  EXPECT_EQ(result.ids, FirstGreedy(2));
  EXPECT_EQ(result.reason, StopReason::kEndToken);
  EXPECT_EQ(text_, TextOf(FirstGreedy(2)));
}

TEST_F(GenerationTest, StopStringOverABorderOfTokensEndsAndIsNotShown) {
  options_.stop = {"never", StrCat(">", "<", Greedy()[3])};
  GenerationResult result = Result();
  EXPECT_EQ(result.reason, StopReason::kStopString);
  EXPECT_EQ(result.ids, FirstGreedy(4));
  std::string shown = TextOf(FirstGreedy(3));
  shown.pop_back();
  EXPECT_EQ(text_, shown);
}

TEST_F(GenerationTest, BeginningOfAStopStringIsShownInTheEnd) {
  options_.stop = {">|"};
  EXPECT_EQ(Result().reason, StopReason::kMaxTokens);
  EXPECT_EQ(text_, TextOf(Greedy()));
}

TEST_F(GenerationTest, NoTokensAreStillAPrompt) {
  options_.max_tokens = 0;
  GenerationResult result = Result();
  EXPECT_THAT(result.ids, IsEmpty());
  EXPECT_EQ(result.reason, StopReason::kMaxTokens);
  EXPECT_EQ(text_, "");
  EXPECT_EQ(session_->tokens().size(), prompt_.size());
}

TEST_F(GenerationTest, FullContextEndsTheText) {
  GenerationResult result = Result(/*context=*/10);
  EXPECT_EQ(result.reason, StopReason::kContextFull);
  EXPECT_EQ(result.ids, FirstGreedy(5));  // 4 that fit and the one that follows them
  EXPECT_EQ(text_, TextOf(FirstGreedy(5)));
  EXPECT_EQ(Generate(/*context=*/5).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(GenerationTest, AShorterPromptLetsTheTextGoOn) {
  const std::vector<int32_t> shorter = {prompt_.begin() + 3, prompt_.end()};
  int asked = 0;
  options_.max_tokens = 12;
  callbacks_.shorten_prompt = [&]() -> std::optional<std::vector<int32_t>> {
    if (asked++ > 0) return std::nullopt;
    return shorter;
  };
  const GenerationResult result = Result(/*context=*/10);
  ASSERT_EQ(result.ids.size(), 8u);
  // 5 tokens after the whole prompt, then what follows them after the shorter one.
  std::vector<int32_t> ids = FirstGreedy(5);
  std::vector<int32_t> text = shorter;
  text.insert(text.end(), ids.begin(), ids.end());
  auto session = GenerationModel().NewSession({.policy = "reference", .context = 64});
  const std::vector<int32_t> rest = test::ContinueGreedily(*session, text, 3);
  ids.insert(ids.end(), rest.begin(), rest.end());
  EXPECT_EQ(result.ids, ids);
  EXPECT_EQ(result.reason, StopReason::kContextFull);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(text_, TextOf(ids));
}

TEST_F(GenerationTest, APromptThatIsNotShorterEndsTheText) {
  callbacks_.shorten_prompt = [&] { return std::optional(prompt_); };
  EXPECT_EQ(Result(/*context=*/10).reason, StopReason::kContextFull);
}

TEST_F(GenerationTest, CallbackEndsTheText) {
  int pieces = 0;
  callbacks_.on_text = [&](std::string_view) { return ++pieces < 3; };
  GenerationResult result = Result();
  EXPECT_EQ(result.reason, StopReason::kCallback);
  EXPECT_EQ(result.ids, FirstGreedy(3));
  EXPECT_EQ(pieces, 3);
}

TEST_F(GenerationTest, RefusingCallbackIsNotCalledAgain) {
  decoder_.held = "left over";
  int pieces = 0;
  options_.stop = {">"};  // the piece before it is shown, refused, and the end of the text
  callbacks_.on_text = [&](std::string_view) {
    ++pieces;
    decoder_.held = "more";
    return false;
  };
  EXPECT_EQ(Result().reason, StopReason::kStopString);
  EXPECT_EQ(pieces, 1);
}

TEST_F(GenerationTest, UnfinishedCharacterIsShownAtTheEndAndNotInTheNextText) {
  decoder_.held = "of an earlier text";
  callbacks_.on_token = [this](int32_t) { decoder_.held = "!"; };
  Result();
  EXPECT_EQ(text_, TextOf(Greedy()) + "!");
}

TEST_F(GenerationTest, StopStringInAnUnfinishedCharacterCounts) {
  callbacks_.on_token = [this](int32_t) { decoder_.held = "!?"; };
  options_.stop = {"!?"};
  EXPECT_EQ(Result().reason, StopReason::kStopString);
  EXPECT_EQ(text_, TextOf(Greedy()));
}

TEST_F(GenerationTest, StopFlagHandsOutWhatThereIs) {
  std::atomic<bool> stop = false;
  callbacks_.stop = &stop;
  int tokens = 0;
  callbacks_.on_token = [&](int32_t) { stop = ++tokens == 3; };
  GenerationResult result = Result();
  EXPECT_EQ(result.reason, StopReason::kCancelled);
  EXPECT_EQ(result.ids, FirstGreedy(3));
  EXPECT_EQ(text_, TextOf(FirstGreedy(3)));
}

TEST_F(GenerationTest, StopFlagInThePromptGivesNothing) {
  std::atomic<bool> stop = false;
  callbacks_.stop = &stop;
  callbacks_.on_prefill = [&](int64_t done, int64_t) { stop = done > 0; };
  GenerationResult result = Result();
  EXPECT_EQ(result.reason, StopReason::kCancelled);
  EXPECT_THAT(result.ids, IsEmpty());
  EXPECT_EQ(session_->tokens().size(), 4u);  // the chunk that was finished
}

TEST_F(GenerationTest, SameSeedGivesTheSameTextAndAnotherSeedAnother) {
  options_.sampler.temperature = 1.5;
  options_.sampler.top_k = 0;
  options_.sampler.top_p = 1;
  options_.max_tokens = 24;
  options_.sampler.seed = 7;
  std::vector<int32_t> first = Result().ids;
  EXPECT_EQ(Result().ids, first);
  options_.sampler.seed = 8;
  EXPECT_NE(Result().ids, first);
}

TEST_F(GenerationTest, PenaltiesCountThePrompt) {
  prompt_.push_back(Greedy()[0]);
  std::vector<int32_t> plain = Result().ids;
  prompt_.push_back(plain[0]);  // now the best next token is penalised if it comes up again
  options_.sampler.presence_penalty = 1000;
  options_.sampler.repeat_last_n = 64;
  std::vector<int32_t> penalised = Result().ids;
  for (int32_t id : penalised) EXPECT_THAT(prompt_, ::testing::Not(::testing::Contains(id)));
}

TEST_F(GenerationTest, RefusesOptionsThatMakeNoSense) {
  options_.stop = {""};
  EXPECT_EQ(Generate().status().code(), absl::StatusCode::kInvalidArgument);
  options_.stop = {};
  options_.sampler.temperature = -1;
  EXPECT_EQ(Generate().status().code(), absl::StatusCode::kInvalidArgument);
  options_.sampler.temperature = 0;
  prompt_ = {};
  EXPECT_EQ(Generate().status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(GenerationTest, NonFiniteLogitsEndWithAnError) {
  std::ifstream file(INFER_TEST_DATA "/random_untied.gguf", std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  const WeightInfo* norm = GenerationModel().weights().Find("output_norm.weight");
  ASSERT_NE(norm, nullptr);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bytes.data() + norm->offset, &nan, sizeof nan);
  std::string path = ::testing::TempDir() + "/not_a_number.gguf";
  std::ofstream(path, std::ios::binary) << bytes;

  LoadedModel broken(path);
  auto session = broken.NewSession({.policy = "reference", .context = 64});
  absl::StatusOr<GenerationResult> result =
      infer::Generate(*session, prompt_, options_, decoder_, callbacks_);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(text_, "");
  std::remove(path.c_str());
}

TEST(StopReason, HasAName) {
  EXPECT_EQ(Name(StopReason::kMaxTokens), "max_tokens");
  EXPECT_EQ(Name(StopReason::kEndToken), "end_token");
  EXPECT_EQ(Name(StopReason::kStopString), "stop_string");
  EXPECT_EQ(Name(StopReason::kContextFull), "context_full");
  EXPECT_EQ(Name(StopReason::kCancelled), "cancelled");
  EXPECT_EQ(Name(StopReason::kCallback), "callback");
}

}  // namespace
}  // namespace infer
