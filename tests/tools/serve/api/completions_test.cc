// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/tools/serve/api/api_fixture.h"

namespace infer::serve {
namespace {

class CompletionsTest : public ApiFixture {};

TEST_F(CompletionsTest, AWholeAnswerWithLogprobs) {
  const auto to = Post("/v1/completions", {{"prompt", "Once"}, {"logprobs", 1}, {"max_tokens", 9}});
  EXPECT_EQ(runner_.submitted[0].request.max_tokens, 9);
  EXPECT_EQ(runner_.submitted[0].request.top_logprobs, 1);
  Answer(" upon a time", ChoiceEnd::kMaxTokens);
  const Json body = Json::parse(to->response.body);
  EXPECT_EQ(body["object"], "text_completion");
  const Json& choice = body["choices"][0];
  EXPECT_EQ(choice["text"], " upon a time");
  EXPECT_EQ(choice["finish_reason"], "length");
  const Json& logprobs = choice["logprobs"];
  EXPECT_EQ(logprobs["tokens"].size(), logprobs["text_offset"].size());
  EXPECT_EQ(logprobs["text_offset"][0], 0);
  EXPECT_EQ(logprobs["text_offset"][1], std::string(logprobs["tokens"][0]).size());
  EXPECT_EQ(logprobs["top_logprobs"][0].size(), 1u);
}

TEST_F(CompletionsTest, AStreamOfPlainText) {
  // Thoughts and calls are text here.
  const auto to = Post("/v1/completions", {{"prompt", "Once"}, {"stream", true}});
  Answer("<think>a</think>\nb");
  std::string text;
  const std::vector<SseEvent> events = ParseEvents(to->text());
  for (const SseEvent& event : events) {
    if (!event.data.is_string()) text += event.data["choices"][0]["text"];
  }
  EXPECT_EQ(text, "<think>a</think>\nb");
  EXPECT_EQ(events[events.size() - 2].data["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(events.back().data, "[DONE]");
}

TEST_F(CompletionsTest, SeveralPromptsAreNumberedThrough) {
  const auto to = Post("/v1/completions", {{"prompt", {"One", "Two"}}, {"n", 2}});
  ASSERT_EQ(runner_.submitted.size(), 2u);
  const std::vector<FakeRunner::Submitted> both = runner_.submitted;
  for (const FakeRunner::Submitted& one : both) {
    runner_.submitted = {one};
    generated_ = 0;
    Admit();
    Say("a", 0);
    Say("b", 1);
    EndChoice(ChoiceEnd::kEndToken, 0);
    EndChoice(ChoiceEnd::kEndToken, 1);
    EXPECT_EQ(to->answers, 0);
    End();
  }
  const Json body = Json::parse(to->response.body);
  ASSERT_EQ(body["choices"].size(), 4u);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(body["choices"][i]["index"], i);
    EXPECT_EQ(body["choices"][i]["text"], i % 2 == 0 ? "a" : "b");
  }
  EXPECT_EQ(body["usage"]["completion_tokens"], 4);
  EXPECT_EQ(body["usage"]["prompt_tokens"],
            both[0].request.prompt.size() + both[1].request.prompt.size());
}

// Counts what observers hear.
class ObservedCompletionsTest : public ApiFixture {
 protected:
  struct Heard {
    std::vector<std::string> asked;
    int ended = 0;
    int refused = 0;
  };
  class Observer : public RequestObserver {
   public:
    explicit Observer(Heard* heard) : heard_(heard) {}
    void OnToken(int32_t) override {}
    void OnChoiceEnd(ChoiceEnd) override {}
    void OnEnd(const RequestSummary&, const absl::Status&) override { ++heard_->ended; }
    void OnRefused() override { ++heard_->refused; }

   private:
    Heard* heard_;
  };

  ObservedCompletionsTest() : ApiFixture(Options(&heard_)) {}
  static ApiServerOptions Options(Heard* heard) {
    ApiServerOptions options;
    options.new_observers = [heard](const std::string& id, size_t prompts) {
      heard->asked.push_back(id + "/" + std::to_string(prompts));
      std::vector<std::unique_ptr<RequestObserver>> observers;
      for (size_t i = 0; i < prompts; ++i) observers.push_back(std::make_unique<Observer>(heard));
      return observers;
    };
    return options;
  }

  Heard heard_;
};

TEST_F(ObservedCompletionsTest, EveryPromptIsHeardOf) {
  Post("/v1/completions", {{"prompt", {"One", "Two"}}});
  EXPECT_THAT(heard_.asked, ::testing::ElementsAre("request-1/2"));
  const std::vector<FakeRunner::Submitted> both = runner_.submitted;
  ASSERT_EQ(both.size(), 2u);
  for (const FakeRunner::Submitted& one : both) {
    runner_.submitted = {one};
    Answer("a");
  }
  EXPECT_EQ(heard_.ended, 2);
  EXPECT_EQ(heard_.refused, 0);
}

TEST_F(ObservedCompletionsTest, EveryPromptOfARefusedRequestIsRefused) {
  runner_.submit_status = absl::ResourceExhaustedError("the queue is full");
  const auto to = Post("/v1/completions", {{"prompt", {"One", "Two", "Three"}}});
  EXPECT_EQ(to->response.status, 429);
  EXPECT_EQ(heard_.refused, 3);
  EXPECT_EQ(heard_.ended, 0);
}

TEST_F(CompletionsTest, TokenIdsAreTakenAsTheyAre) {
  Post("/v1/completions", {{"prompt", {1, 2, 3}}});
  EXPECT_EQ(runner_.submitted[0].request.prompt, (std::vector<int32_t>{1, 2, 3}));
}

TEST_F(CompletionsTest, SamplingParametersArrive) {
  Post("/v1/completions", {{"prompt", "a"},
                           {"temperature", 0.25},
                           {"top_p", 0.5},
                           {"top_k", -1},
                           {"min_p", 0.1},
                           {"seed", -3},
                           {"presence_penalty", 1},
                           {"frequency_penalty", 0.5},
                           {"repetition_penalty", 1.5},
                           {"logit_bias", {{"5", -100}}},
                           {"priority", 7},
                           {"cache_salt", "s"},
                           {"ignore_eos", true}});
  const TokenRequest& request = runner_.submitted.at(0).request;
  EXPECT_EQ(request.sampler.temperature, 0.25);
  EXPECT_EQ(request.sampler.top_p, 0.5);
  EXPECT_EQ(request.sampler.top_k, 0);
  EXPECT_EQ(request.sampler.min_p, 0.1);
  EXPECT_EQ(request.sampler.seed, static_cast<uint64_t>(-3));
  EXPECT_EQ(request.sampler.presence_penalty, 1);
  EXPECT_EQ(request.sampler.frequency_penalty, 0.5);
  EXPECT_EQ(request.sampler.repeat_penalty, 1.5);
  ASSERT_EQ(request.sampler.logit_bias.size(), 1u);
  EXPECT_EQ(request.sampler.logit_bias[0].id, 5);
  EXPECT_EQ(request.priority, 7);
  EXPECT_EQ(request.cache_salt, "s");
  EXPECT_TRUE(request.end_ids.empty());
  EXPECT_EQ(request.tenant, "127.0.0.1");
}

TEST_F(CompletionsTest, KeysKeepCachesApart) {
  key_name_ = "alice";
  Post("/v1/completions", {{"prompt", "a"}, {"cache_salt", "s"}});
  EXPECT_EQ(runner_.submitted[0].request.tenant, "alice");
  EXPECT_EQ(runner_.submitted[0].request.cache_salt, "alice\ns");
}

}  // namespace
}  // namespace infer::serve
