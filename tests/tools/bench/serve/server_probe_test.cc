// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/server_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tests/tools/bench/serve/fake_server.h"
#include "tools/cli/exit_code.h"

namespace infer::load {
namespace {

using ::testing::HasSubstr;

// Counts a token for each word, two for words of more than six letters, and 9 for the template.
int64_t Tokens(const std::string& text) {
  int64_t tokens = 0;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) tokens += word.size() > 6 ? 2 : 1;
  return tokens;
}

struct FakeOptions {
  bool has_tokenize = true;
  bool has_usage = true;
};

FakeServer::Script Script(FakeOptions options) {
  return [options](const FakeRequest& request, FakeConnection& connection) {
    const Json body = Json::parse(request.body, nullptr, false);
    if (request.path == "/v1/models") {
      connection.SendResponse(200, "application/json", R"({"data":[{"id":"the-model"}]})");
    } else if (request.path == "/tokenize" && options.has_tokenize) {
      const Json tokens = std::vector<int>(static_cast<size_t>(Tokens(body["content"])));
      connection.SendResponse(200, "application/json", Json{{"tokens", tokens}}.dump());
    } else if (request.path == "/v1/completions") {
      const Json usage = {{"prompt_tokens", Tokens(body["prompt"]) + 9}};
      connection.SendResponse(200, "application/json",
                              options.has_usage ? Json{{"usage", usage}}.dump() : "{}");
    } else {
      connection.SendResponse(404, "application/json", "{}");
    }
  };
}

class ServerProbeTest : public ::testing::Test {
 protected:
  absl::StatusOr<PromptMaker> Probe(const FakeServer& server) {
    return MakePromptMaker(*ParseServerUrl(server.url()), {.model = "m"}, stop_,
                           [this](const std::string& text) { warnings_ += text; });
  }
  // Returns the tokens that the server counts in a prompt that should have 200.
  int64_t Counted(const PromptMaker& maker) {
    Random random(5);
    return Tokens(maker.Text(200, random)) + 9;
  }

  std::atomic<bool> stop_ = false;
  std::string warnings_;
};

TEST_F(ServerProbeTest, MakesExactPromptsWithTokenize) {
  const FakeServer server(Script({}));
  const auto maker = Probe(server);
  ASSERT_TRUE(maker.ok()) << maker.status();
  EXPECT_EQ(Counted(*maker), 200);
  EXPECT_EQ(warnings_, "");
}

TEST_F(ServerProbeTest, SaysWhenLengthsAreEstimates) {
  const FakeServer plain(Script({.has_tokenize = false}));
  const auto maker = Probe(plain);
  ASSERT_TRUE(maker.ok()) << maker.status();
  EXPECT_NEAR(static_cast<double>(Counted(*maker)), 200, 30);
  EXPECT_THAT(warnings_, HasSubstr("has no /tokenize"));
  warnings_.clear();
  const FakeServer silent(Script({.has_tokenize = false, .has_usage = false}));
  EXPECT_TRUE(Probe(silent).ok());
  EXPECT_THAT(warnings_, HasSubstr("does not say how many tokens"));
}

TEST_F(ServerProbeTest, FindsTheModel) {
  const FakeServer server(Script({}));
  EXPECT_EQ(*FirstModel(*ParseServerUrl(server.url()), {}, stop_), "the-model");
  const FakeServer other([](const FakeRequest&, FakeConnection& connection) {
    connection.SendResponse(200, "text/plain", "what?");
  });
  EXPECT_EQ(*FirstModel(*ParseServerUrl(other.url()), {}, stop_), "default");
}

TEST_F(ServerProbeTest, NamesWhatIsWrong) {
  const FakeServer locked([](const FakeRequest&, FakeConnection& connection) {
    connection.SendResponse(401, "application/json", "{}");
  });
  const auto model = FirstModel(*ParseServerUrl(locked.url()), {}, stop_);
  EXPECT_THAT(std::string(model.status().message()), HasSubstr("--api-key"));
  const FakeServer broken([](const FakeRequest& request, FakeConnection& connection) {
    const bool completes = request.path == "/v1/completions";
    connection.SendResponse(completes ? 400 : 404, "application/json", "{\"error\":\"bad\x1b\"}\n");
  });
  const auto maker = Probe(broken);
  EXPECT_EQ(ExitCodeFor(maker.status()), kExitUnavailable);
  EXPECT_THAT(std::string(maker.status().message()), HasSubstr("HTTP 400: {\"error\":\"bad"));
  EXPECT_EQ(maker.status().message().find('\x1b'), std::string::npos);
}

TEST_F(ServerProbeTest, ASilentServerIsATimeout) {
  const FakeServer server(
      [](const FakeRequest&, FakeConnection& connection) { connection.WaitForClose(); });
  const auto fetched =
      Fetch(*ParseServerUrl(server.url()), "GET / HTTP/1.1\r\n\r\n", /*timeout_s=*/0.3, stop_);
  EXPECT_EQ(fetched.status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace infer::load
