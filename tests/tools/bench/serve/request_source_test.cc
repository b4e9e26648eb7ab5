// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/request_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ir/base/json.h"

namespace infer::load {
namespace {

Mix PlainMix() {
  return {.prompt_tokens = *Lengths::Parse("-p", "20"),
          .output_tokens = *Lengths::Parse("-n", "7")};
}

ServerUrl Url() {
  ServerUrl url;
  url.host = "h:1";
  url.prefix = "/x";
  return url;
}

RequestSource Source(const Mix& mix, uint64_t seed = 1, uint64_t round = 0, RequestForm form = {}) {
  std::vector<PromptWord> words;
  for (const std::string& word : CommonWords()) words.push_back({" " + word, 1});
  form.model = "m";
  return RequestSource(Url(), form, mix, PromptMaker(words, 0), seed, round);
}

Json BodyOf(const RequestSpec& spec) {
  return Json::parse(spec.message.substr(spec.message.find("\r\n\r\n") + 4));
}

TEST(RequestSource, MakesACompleteRequest) {
  const RequestSpec spec = Source(PlainMix()).Make(0);
  const Json body = BodyOf(spec);
  EXPECT_THAT(spec.message,
              ::testing::StartsWith("POST /x/v1/completions HTTP/1.1\r\nHost: h:1\r\n"));
  EXPECT_THAT(spec.message,
              ::testing::HasSubstr("Content-Length: " + std::to_string(body.dump().size())));
  EXPECT_EQ(body["max_tokens"], 7);
  EXPECT_EQ(body["ignore_eos"], true);
  EXPECT_EQ(body["stream_options"]["include_usage"], true);
  EXPECT_EQ(std::ranges::count(body["prompt"].get<std::string>(), ' '), 20);
}

TEST(RequestSource, ChatHasMessagesAndExtraMembersWin) {
  RequestForm form = {
      .api = Api::kChat, .api_key = "k", .force_length = false, .extra = R"({"temperature":0.5})"};
  const RequestSpec spec = Source(PlainMix(), 1, 0, form).Make(0);
  const Json body = BodyOf(spec);
  EXPECT_THAT(spec.message, ::testing::HasSubstr("/v1/chat/completions"));
  EXPECT_THAT(spec.message, ::testing::HasSubstr("Authorization: Bearer k\r\n"));
  EXPECT_EQ(body["messages"][0]["role"], "user");
  EXPECT_EQ(body["temperature"], 0.5);
  EXPECT_FALSE(body.contains("ignore_eos"));
}

TEST(RequestSource, IsTheSameForEveryServerAndOtherInEveryRound) {
  EXPECT_EQ(Source(PlainMix()).Make(5).message, Source(PlainMix()).Make(5).message);
  EXPECT_NE(Source(PlainMix()).Make(5).message, Source(PlainMix()).Make(6).message);
  EXPECT_NE(Source(PlainMix()).Make(5).message, Source(PlainMix(), 2).Make(5).message);
  EXPECT_NE(Source(PlainMix()).Make(5).message, Source(PlainMix(), 1, 1).Make(5).message);
}

TEST(RequestSource, SharesPrefixesAsAsked) {
  Mix mix = PlainMix();
  mix.prefix_tokens = 50;
  mix.prefix_share = 0.5;
  mix.prefixes = 2;
  const RequestSource source = Source(mix);
  std::map<std::string, int> starts;
  int whole = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string prompt = BodyOf(source.Make(i))["prompt"];
    if (std::ranges::count(prompt, ' ') != 70) continue;
    ++whole;
    ++starts[prompt.substr(0, 60)];
  }
  EXPECT_NEAR(whole, 500, 60);
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_NEAR(starts.begin()->second, 250, 60);
}

TEST(RequestSource, MixesKindsByTheirShares) {
  Mix mix = PlainMix();
  mix.cancel_share = 0.2;
  mix.bad_share = 0.1;
  const RequestSource source = Source(mix);
  std::map<RequestKind, int> kinds;
  std::set<std::string> malformed;
  for (int i = 0; i < 5000; ++i) {
    const RequestSpec spec = source.Make(i);
    ++kinds[spec.kind];
    if (spec.kind == RequestKind::kMalformed) malformed.insert(spec.message);
    EXPECT_GE(spec.leave_at, 0);
  }
  EXPECT_NEAR(kinds[RequestKind::kCancelled], 1000, 100);
  EXPECT_NEAR(kinds[RequestKind::kMalformed], 500, 75);
  EXPECT_EQ(std::ssize(malformed), NumMalformedKinds());
}

TEST(RequestSource, AnIntruderHasALongPrompt) {
  Mix mix = PlainMix();
  mix.intruder_tokens = 4000;
  const RequestSpec spec = Source(mix).MakeIntruder(0);
  EXPECT_EQ(spec.kind, RequestKind::kIntruder);
  EXPECT_EQ(std::ranges::count(BodyOf(spec)["prompt"].get<std::string>(), ' '), 4000);
}

}  // namespace
}  // namespace infer::load
