// SPDX-License-Identifier: Apache-2.0
//
// Many generations at once through the public header.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <infer/infer.h>

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using ::testing::HasSubstr;
using End = infer::Result<infer::Generation>;

const std::string kServedModel = INFER_SOURCE_DIR "/tools/assets/tiny-tales-q8_0.gguf";

class ServerApi : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    model_ = new infer::Model(infer::Model::Load(kServedModel).value());
    infer::CompileOptions options;
    options.invariant = true;
    options.sequences = 4;
    options.context = 256;
    program_ = new infer::Program(infer::Compile(*model_, options).value());
  }
  static infer::Server NewServer(int running = 4, int waiting = 16) {
    infer::ServerOptions options;
    options.running = running;
    options.waiting = waiting;
    infer::Result<infer::Server> server = infer::Server::Create(*model_, *program_, options);
    EXPECT_TRUE(server.ok()) << server.error().message;
    return server.value();
  }
  static infer::GenerateOptions Seeded(uint64_t seed, int64_t tokens) {
    infer::GenerateOptions options;
    options.max_tokens = tokens;
    options.seed = seed;
    options.ignore_end = true;
    return options;
  }
  // Submits and returns what the request will end with.
  template <class Prompt>
  static std::future<End> Submit(infer::Server& server, const Prompt& prompt,
                                 const infer::GenerateOptions& options, uint64_t* id = nullptr) {
    auto end = std::make_shared<std::promise<End>>();
    std::future<End> future = end->get_future();
    infer::Result<uint64_t> submitted =
        server.Submit(prompt, options, [end](End result) { end->set_value(std::move(result)); });
    EXPECT_TRUE(submitted.ok()) << submitted.error().message;
    if (id != nullptr) *id = submitted.value();
    return future;
  }

  static infer::Model* model_;
  static infer::Program* program_;
};
infer::Model* ServerApi::model_ = nullptr;
infer::Program* ServerApi::program_ = nullptr;

TEST_F(ServerApi, GivesTheTextsOfSequences) {
  infer::Server server = NewServer();
  const std::vector<std::string> prompts = {"Once upon a time", "The dog", "Once upon a hill"};
  std::vector<std::future<End>> ends;
  std::string pieces;
  for (size_t i = 0; i < 9; ++i) {
    infer::GenerateOptions options = Seeded(i, 24);
    if (i == 4) {
      options.stop = {"."};
      options.on_text = [&](std::string_view piece) {
        pieces += piece;
        return true;
      };
    }
    ends.push_back(Submit(server, prompts[i % 3], options));
  }
  infer::Session session = infer::Session::Create(*model_, *program_).value();
  for (size_t i = 0; i < 9; ++i) {
    infer::GenerateOptions options = Seeded(i, 24);
    if (i == 4) options.stop = {"."};
    const infer::Generation alone = session.Generate(prompts[i % 3], options).value();
    End end = ends[i].get();
    ASSERT_TRUE(end.ok()) << end.error().message;
    EXPECT_EQ(end.value().text, alone.text) << i;
    EXPECT_EQ(end.value().ids, alone.ids) << i;
    EXPECT_EQ(end.value().reason, alone.reason) << i;
    EXPECT_EQ(end.value().seed, i);
    if (i == 4) {
      EXPECT_EQ(pieces, alone.text);
    }
  }
}

TEST_F(ServerApi, AnswersConversationsThatKeepToASchema) {
  infer::Server server = NewServer();
  infer::GenerateOptions options = Seeded(3, 60);
  options.ignore_end = false;
  options.think = infer::Think::kOff;
  options.json_schema = R"({"enum": ["yes", "no"]})";
  const std::vector<infer::Message> messages = {{"user", "Are you a dog?"}};
  End end = Submit(server, messages, options).get();
  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_THAT(end.value().message.content, ::testing::AnyOf("\"yes\"", "\"no\""));
}

TEST_F(ServerApi, ReportsProbabilitiesAndTakesBiases) {
  struct Steps {
    std::vector<infer::TokenStep> all;
  };
  const auto with = [](Steps* steps) {
    infer::GenerateOptions options = Seeded(5, 12);
    options.temperature = 0;
    options.top_logprobs = 3;
    options.on_token = [steps](const infer::TokenStep& step) { steps->all.push_back(step); };
    return options;
  };
  infer::Server server = NewServer();
  infer::Session session = infer::Session::Create(*model_, *program_).value();
  Steps served, alone;
  const infer::Generation made = Submit(server, std::string("Once"), with(&served)).get().value();
  ASSERT_TRUE(session.Generate("Once", with(&alone)).ok());
  ASSERT_EQ(served.all.size(), 12u);
  ASSERT_EQ(alone.all.size(), 12u);
  for (size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(served.all[i].id, alone.all[i].id);
    EXPECT_EQ(served.all[i].logprob, alone.all[i].logprob);
    EXPECT_LT(served.all[i].logprob, 0);
    ASSERT_EQ(served.all[i].top.size(), 3u);
    EXPECT_EQ(served.all[i].top[0].id, served.all[i].id) << "the likeliest is chosen";
    EXPECT_EQ(served.all[i].top[0].logprob, served.all[i].logprob);
    EXPECT_EQ(served.all[i].top[2].logprob, alone.all[i].top[2].logprob);
  }
  Steps biased;
  infer::GenerateOptions options = with(&biased);
  options.logit_bias = {{made.ids[0], -100}};
  const infer::Generation other = Submit(server, std::string("Once"), options).get().value();
  EXPECT_EQ(other.ids[0], served.all[0].top[1].id) << "the second likeliest instead";
  EXPECT_EQ(session.Generate("Once", options).value().ids, other.ids);
  options.top_logprobs = 65;
  EXPECT_EQ(server.Submit("Once", options, {}).error().code, 2);
}

TEST_F(ServerApi, CancelsRequests) {
  infer::Server server = NewServer();
  uint64_t id = 0;
  std::promise<void> started;
  infer::GenerateOptions options = Seeded(1, 200);
  options.on_token = [&, first = true](const infer::TokenStep&) mutable {
    if (std::exchange(first, false)) started.set_value();
  };
  std::future<End> end = Submit(server, std::string("Once"), options, &id);
  started.get_future().wait();
  server.Cancel(id);
  const End result = end.get();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().reason, infer::StopReason::kCancelled);
  EXPECT_LT(result.value().ids.size(), 200u);
  server.Cancel(id);
}

TEST_F(ServerApi, EndsWithTheCallersWord) {
  infer::Server server = NewServer();
  infer::GenerateOptions options = Seeded(1, 100);
  options.on_text = [](std::string_view) { return false; };
  EXPECT_EQ(Submit(server, std::string("Once"), options).get().value().reason,
            infer::StopReason::kCallback);
  options.on_text = {};
  options.cancel.Cancel();
  EXPECT_EQ(Submit(server, std::string("Once"), options).get().value().reason,
            infer::StopReason::kCancelled);
}

TEST_F(ServerApi, RefusesWhatMakesNoSense) {
  infer::Server server = NewServer();
  infer::GenerateOptions options = Seeded(1, 5);
  options.temperature = -1;
  EXPECT_EQ(server.Submit("Once", options, {}).error().code, 2);
  std::string too_long;
  for (int i = 0; i < 2000; ++i) too_long += "word ";
  EXPECT_THAT(server.Submit(too_long, Seeded(1, 5), {}).error().message, HasSubstr("context"));
  infer::ServerOptions none;
  none.running = 0;
  EXPECT_FALSE(infer::Server::Create(*model_, *program_, none).ok());
}

TEST_F(ServerApi, TheLastCopyEndsAllRequests) {
  std::vector<std::future<End>> ends;
  {
    infer::Server server = NewServer(2);
    const infer::Server copy = server;
    for (uint64_t i = 0; i < 6; ++i) {
      ends.push_back(Submit(server, std::string("Once"), Seeded(i, 200)));
    }
  }
  for (std::future<End>& end : ends) EXPECT_TRUE(end.get().ok());
}

}  // namespace
