// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/tools/serve/api/api_fixture.h"

namespace infer::serve {
namespace {

ApiServerOptions WithPages() {
  ApiServerOptions options;
  options.regimes = {{1, 16, {{"parallel", 41}}}};
  options.page = [] { return http::Response{200, "text/html", "<p>page</p>", {}}; };
  options.metrics = [] { return http::Response{200, "text/plain", "up 1\n", {}}; };
  options.placement = [] { return http::Response{200, "text/html", "<p>placement</p>", {}}; };
  return options;
}

class RoutesTest : public ApiFixture {
 protected:
  RoutesTest() : ApiFixture(WithPages()) {}
  Json Get(const std::string& path, const std::string& query = "") {
    return Json::parse(Send("GET", path, "", query)->response.body);
  }
};

TEST_F(RoutesTest, UnknownPathsAndMethods) {
  EXPECT_EQ(Send("GET", "/nothing")->response.status, 404);
  EXPECT_EQ(Send("GET", "/v1/models/")->response.status, 404);
  const auto wrong = Send("GET", "/v1/chat/completions");
  EXPECT_EQ(wrong->response.status, 405);
  EXPECT_EQ(wrong->header("allow"), "POST");
  EXPECT_EQ(Send("DELETE", "/health")->header("allow"), "GET, HEAD");
}

TEST_F(RoutesTest, OnlyAFewArePublic) {
  for (const std::string& path : ApiServer::Routes()) {
    const bool is_public = path == "/" || path == "/health" || path == "/ready";
    EXPECT_EQ(server_->IsPublic("GET", path), is_public) << path;
    EXPECT_FALSE(server_->IsPublic("POST", path)) << path;
  }
}

TEST_F(RoutesTest, Models) {
  EXPECT_EQ(Get("/v1/models")["data"][0]["id"], "tiny-tales");
  EXPECT_EQ(Get("/v1/models/tiny-tales")["object"], "model");
  const auto to = Send("GET", "/v1/models/other");
  EXPECT_EQ(to->response.status, 404);
  EXPECT_EQ(Json::parse(to->response.body)["error"]["code"], "model_not_found");
  const auto chat = Post("/v1/completions", {{"model", "gpt-4"}, {"prompt", "a"}});
  EXPECT_EQ(chat->response.status, 404);
  EXPECT_EQ(Json::parse(chat->response.body)["error"]["param"], "model");
}

TEST_F(RoutesTest, HealthIsTheAgeOfTheHeartbeat) {
  runner_.heartbeat_ms = 12;
  EXPECT_EQ(Get("/health")["heartbeat_age_ms"], 12.0);
  runner_.heartbeat_ms = 40000;
  EXPECT_EQ(Send("GET", "/health")->response.status, 503);
  EXPECT_EQ(Send("GET", "/ready")->response.status, 200);
  server_->StopAccepting();
  EXPECT_EQ(Send("GET", "/ready")->response.status, 503);
}

TEST_F(RoutesTest, TextToTokensAndBack) {
  const Json tokens = Json::parse(
      Post("/tokenize", {{"content", "Once upon a time"}, {"with_pieces", true}})->response.body);
  EXPECT_EQ(tokens["count"], tokens["tokens"].size());
  EXPECT_EQ(tokens["pieces"].size(), tokens["tokens"].size());
  const Json text = Json::parse(Post("/detokenize", {{"tokens", tokens["tokens"]}})->response.body);
  EXPECT_EQ(text["content"], "Once upon a time");
  EXPECT_EQ(Post("/detokenize", {{"tokens", {-1}}})->response.status, 400);
  EXPECT_EQ(Post("/detokenize", {{"tokens", {1 << 20}}})->response.status, 400);
  EXPECT_EQ(Post("/tokenize", {{"content", 5}})->response.status, 400);
}

TEST_F(RoutesTest, ApplyTemplate) {
  const Json request = Json::parse(R"({"messages": [{"role": "user", "content": "Hi"}]})");
  const Json answer = Json::parse(Post("/apply-template", request)->response.body);
  EXPECT_EQ(answer["prompt"], "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
}

TEST_F(RoutesTest, Props) {
  const Json props = Get("/props");
  EXPECT_EQ(props["model"], "tiny-tales");
  EXPECT_EQ(props["context"], 512);
  EXPECT_EQ(props["thinking"]["available"], true);
  EXPECT_EQ(props["tools"], true);
}

TEST_F(RoutesTest, LiveShowsStepsFromANumberOn) {
  runner_.step_records.resize(3);
  for (uint64_t i = 0; i < 3; ++i) runner_.step_records[i].number = i;
  runner_.runner_state.requests.resize(1);
  runner_.runner_state.running = 1;
  const Json live = Get("/live", "a=b&since=1");
  EXPECT_EQ(live["steps"].size(), 2u);
  EXPECT_EQ(live["state"]["running"], 1);
  EXPECT_EQ(live["requests"].size(), 1u);
  EXPECT_EQ(live["regimes"][0]["targets"]["parallel"], 41);
  EXPECT_EQ(Get("/live", "since=-5")["steps"].size(), 3u);
}

TEST_F(RoutesTest, Pages) {
  EXPECT_EQ(Send("GET", "/")->response.body, "<p>page</p>");
  EXPECT_EQ(Send("GET", "/metrics")->response.body, "up 1\n");
  EXPECT_EQ(Send("GET", "/placement")->response.body, "<p>placement</p>");
}

TEST_F(RoutesTest, ErrorsOfTheHttpLayerSuitBothKindsOfClients) {
  const http::Response response = server_->Error(401, "no key");
  const Json body = Json::parse(response.body);
  EXPECT_EQ(body["type"], "error");
  EXPECT_EQ(body["error"]["type"], "authentication_error");
  EXPECT_EQ(body["error"].size(), 4u);
}

}  // namespace
}  // namespace infer::serve
