// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "tests/tools/serve/http/raw_client.h"
#include "tests/tools/serve/http/test_server.h"

namespace infer::http {
namespace {

TEST(HttpDrain, EndsAtOnceWithoutRequests) {
  TestServer server({.header_seconds = kNever, .idle_seconds = kNever});
  RawClient idle = RawClient::Tcp(server.port());
  idle.Send(RequestText("GET", "/hello"));
  EXPECT_EQ(idle.ReadAnswer().status, 200);
  RawClient silent = RawClient::Tcp(server.port());
  const int port = server.port();
  server.server().Drain(kNever);
  server.Join();
  EXPECT_TRUE(idle.ReadToEnd());
  EXPECT_TRUE(silent.ReadToEnd());
  EXPECT_FALSE(RawClient::Tcp(port).is_connected());
}

TEST(HttpDrain, LetsRunningAnswersFinish) {
  TestServer server({.header_seconds = kNever, .body_seconds = kNever});
  std::vector<RawClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(RawClient::Tcp(server.port()));
    clients.back().Send(RequestText("GET", "/hold"));
  }
  // One whose request is still on its way.
  RawClient late = RawClient::Tcp(server.port());
  const std::string request = RequestText("POST", "/echo", "late");
  late.Send(request.substr(0, 40));
  server.handler().WaitForHeld(4);
  EXPECT_TRUE(WaitUntil([&] { return server.counts().open_connections == 5; }));
  server.server().Drain(kNever);
  EXPECT_TRUE(WaitUntil([&] { return !RawClient::Tcp(server.port()).is_connected(); }));
  late.Send(request.substr(40));
  RawAnswer answer = late.ReadAnswer();
  EXPECT_EQ(answer.body, "late");
  EXPECT_EQ(answer.headers["connection"], "close");
  for (const auto& responder : server.handler().held()) {
    responder->StartStream("text/event-stream", {});
    responder->Write("data: end\n\n");
    responder->End();
  }
  for (RawClient& client : clients) {
    EXPECT_TRUE(client.ReadAnswer().is_complete);
    EXPECT_TRUE(client.ReadToEnd());
  }
  server.Join();
  EXPECT_EQ(server.counts().lost_clients, 0u);
}

TEST(HttpDrain, AsksTheHandlerToEndWhatTakesTooLong) {
  TestServer server({.drain_grace_seconds = kNever});
  RawClient client = RawClient::Tcp(server.port());
  client.Send(RequestText("GET", "/hold"));
  auto responder = server.handler().WaitForHeld();
  responder->StartStream("text/event-stream", {});
  server.handler().set_on_drain_end([responder] {
    responder->Write("event: error\n\n");
    responder->End();
  });
  server.server().Drain(0.2);
  RawAnswer answer = client.ReadAnswer();
  EXPECT_TRUE(answer.is_complete);
  EXPECT_EQ(answer.body, "event: error\n\n");
  server.Join();
  EXPECT_EQ(server.counts().lost_clients, 0u);
}

TEST(HttpDrain, DoesNotWaitForEver) {
  TestServer server({.drain_grace_seconds = 0.2});
  RawClient client = RawClient::Tcp(server.port());
  client.Send(RequestText("GET", "/hold"));
  auto responder = server.handler().WaitForHeld();
  std::atomic<bool> is_closed = false;
  responder->OnClosed([&] { is_closed = true; });
  server.server().Drain(kNever);
  server.server().Drain(0.1);  // a second, less patient signal
  server.Join();
  EXPECT_TRUE(is_closed);
  EXPECT_TRUE(client.ReadToEnd());
}

}  // namespace
}  // namespace infer::http
