// SPDX-License-Identifier: Apache-2.0
//
// The whole server with the bundled model, over sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <thread>

#include "ir/base/json.h"
#include "tests/support/hang_limit.h"
#include "tests/tools/e2e/tool_run.h"
#include "tests/tools/serve/e2e/server_process.h"

namespace infer::serve {
namespace {

using ::testing::HasSubstr;

constexpr char kChat[] = "/v1/chat/completions";

Json Question(bool stream = false) {
  return {{"messages", Json::array({{{"role", "user"}, {"content", "What is 47 + 38?"}}})},
          {"temperature", 0},
          {"stream", stream}};
}

std::string ContentOf(const http::RawAnswer& answer) {
  if (answer.status != 200) return answer.body;
  return Json::parse(answer.body)["choices"][0]["message"]["content"];
}

TEST(InferServeBinary, AnswersTheSameAloneAndTogether) {
  ServerProcess server;
  const std::string alone = ContentOf(server.Request("POST", kChat, Question().dump()));
  EXPECT_THAT(alone, HasSubstr("85"));
  std::vector<std::string> together(6);
  std::vector<std::thread> threads;
  for (std::string& text : together) {
    threads.emplace_back(
        [&] { text = ContentOf(server.Request("POST", kChat, Question().dump())); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : together) EXPECT_EQ(text, alone);
  const Json again = Json::parse(server.Request("POST", kChat, Question().dump()).body);
  EXPECT_GT(again["usage"]["prompt_tokens_details"]["cached_tokens"], 0);
  EXPECT_THAT(server.Request("GET", "/metrics").body, HasSubstr("vllm:prompt_tokens_total"));
  EXPECT_EQ(server.Request("GET", "/health").status, 200);
  EXPECT_THAT(server.Request("GET", "/placement").body, HasSubstr("<html"));
  EXPECT_THAT(server.Request("GET", "/").headers["content-security-policy"], HasSubstr("'none'"));
  const Json live = Json::parse(server.Request("GET", "/live").body);
  EXPECT_GT(live["steps"].size(), 0u);
  EXPECT_GT(live["regimes"].size(), 0u);
}

TEST(InferServeBinary, AStreamEndsProperlyWhenTheServerIsTerminated) {
  ServerProcess server({"--drain", "3600"});
  http::RawClient client = http::RawClient::Tcp(server.port());
  Json request = Question(true);
  request["max_tokens"] = 60;
  client.Send(http::RequestText("POST", kChat, request.dump()));
  ASSERT_TRUE(client.ReadUntil("data: "));
  server.Signal(SIGTERM);
  EXPECT_TRUE(client.ReadUntil("data: [DONE]"));
  EXPECT_EQ(server.Wait(), 0);
}

TEST(InferServeBinary, AStreamThatTakesTooLongEndsWithAnError) {
  ServerProcess server({"--drain", "0"});
  http::RawClient client = http::RawClient::Tcp(server.port());
  Json request = Question(true);
  request["max_tokens"] = 1900;
  request["ignore_eos"] = true;
  client.Send(http::RequestText("POST", kChat, request.dump()));
  ASSERT_TRUE(client.ReadUntil("\"content\""));
  server.Signal(SIGTERM);
  EXPECT_TRUE(client.ReadUntil("shutting down")) << client.received();
  EXPECT_EQ(server.Wait(), 0);
}

TEST(InferServeBinary, KeysAreAskedForAndReadAgain) {
  TempDir dir;
  const std::string keys = dir.Path("keys.txt");
  std::ofstream(keys) << "alice first-key-of-alice\n";
  ServerProcess server({"--keys", keys, "--access-log", dir.Path("log")});
  EXPECT_EQ(server.Request("GET", "/v1/models").status, 401);
  EXPECT_EQ(server.Request("GET", "/health").status, 200);
  const auto with = [&](const std::string& key) {
    return server.Request("GET", "/v1/models", "", "Authorization: Bearer " + key + "\r\n").status;
  };
  EXPECT_EQ(with("first-key-of-alice"), 200);
  std::ofstream(keys) << "alice second-key-of-alice\n";
  server.Signal(SIGHUP);
  EXPECT_TRUE(WaitUntil([&] { return with("second-key-of-alice") == 200; }));
  EXPECT_EQ(with("first-key-of-alice"), 401);
  server.Signal(SIGTERM);
  server.Wait();
  std::ifstream log(dir.Path("log"));
  std::string line;
  ASSERT_TRUE(std::getline(log, line));
  EXPECT_EQ(Json::parse(line)["path"], "/v1/models");
}

TEST(InferServeBinary, APortInUseIsAnError) {
  ServerProcess server;
  const CapturedRun run =
      RunShell("$BIN/infer-serve -q --port " + std::to_string(server.port()) + " 2>&1");
  EXPECT_EQ(run.code, 1) << run.out;
  EXPECT_THAT(run.out, HasSubstr(std::to_string(server.port())));
}

TEST(InferServeBinary, UsageErrors) {
  const auto fails = [](const std::string& flags, int code, const std::string& text) {
    const CapturedRun run = RunShell("$BIN/infer-serve " + flags + " 2>&1");
    EXPECT_EQ(run.code, code) << flags << run.out;
    EXPECT_THAT(run.out, HasSubstr(text));
  };
  fails("--tls-cert c.pem", 2, "needs both");
  fails("--unix s --port 5", 2, "listens on one of them");
  fails("--port 99999", 2, "--port");
  fails("-m /does/not/exist.gguf", 3, "/does/not/exist.gguf");
  fails("--keys /does/not/exist --port 0", 3, "/does/not/exist");
}

}  // namespace
}  // namespace infer::serve
