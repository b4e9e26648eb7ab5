// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "ir/base/strings.h"
#include "tests/tools/serve/http/raw_client.h"
#include "tests/tools/serve/http/test_server.h"

namespace infer::http {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

RawAnswer Ask(int port, const std::string& request, std::string_view method = "GET") {
  RawClient client = RawClient::Tcp(port);
  client.Send(request);
  return client.ReadAnswer(method);
}

TEST(HttpServer, AnswersARequest) {
  TestServer server;
  RawAnswer answer = Ask(server.port(), RequestText("GET", "/hello"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_EQ(answer.headers["content-type"], "text/plain");
  EXPECT_EQ(answer.headers["content-length"], "5");
  EXPECT_EQ(answer.headers["x-content-type-options"], "nosniff");
  EXPECT_EQ(answer.headers["cache-control"], "no-store");
  EXPECT_THAT(answer.headers["x-request-id"], MatchesRegex("req_[0-9a-f]{24}"));
  EXPECT_THAT(answer.headers["date"], MatchesRegex("[A-Z][a-z][a-z], [0-9]{2} .* GMT"));
  EXPECT_FALSE(answer.headers.contains("connection"));
  EXPECT_FALSE(answer.headers.contains("access-control-allow-origin"));
}

TEST(HttpServer, HandsTheWholeRequestToTheHandler) {
  TestServer server;
  RawAnswer answer = Ask(server.port(), RequestText("POST", "/echo?a=%20b", "{\"x\":1}",
                                                    "X-Request-Id: my-id.1\r\nX-More: yes \r\n"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "{\"x\":1}");
  EXPECT_EQ(answer.headers["x-request-id"], "my-id.1");
  const Request request = server.handler().requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/echo");
  EXPECT_EQ(request.query, "a=%20b");
  EXPECT_EQ(request.header("x-more"), "yes");
  EXPECT_EQ(request.header("x-none"), "");
  EXPECT_EQ(request.peer, "127.0.0.1");
  EXPECT_EQ(request.id, "my-id.1");
}

TEST(HttpServer, DecodesChunkedBodies) {
  TestServer server;
  const std::string head =
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json; charset=utf-8\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(Ask(server.port(), head + "3\r\nabc\r\nA;name=value\r\n0123456789\r\n0\r\n\r\n").body,
            "abc0123456789");
  EXPECT_EQ(Ask(server.port(), head + "1\r\nx\r\n0\r\nTrailer: ignored\r\n\r\n").body, "x");
}

TEST(HttpServer, KeepsTheConnectionForMoreRequests) {
  TestServer server;
  RawClient client = RawClient::Tcp(server.port());
  for (int i = 0; i < 50; ++i) {
    client.Send(RequestText("POST", "/echo", StrCat(i)));
    EXPECT_EQ(client.ReadAnswer().body, StrCat(i));
  }
  EXPECT_EQ(server.counts().accepted_connections, 1u);
  EXPECT_EQ(server.counts().requests, 50u);
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  TestServer server;
  RawClient client = RawClient::Tcp(server.port());
  std::string all;
  for (int i = 0; i < 200; ++i) all += RequestText("POST", "/echo", StrCat("n", i));
  client.Send(all);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(client.ReadAnswer().body, StrCat("n", i));
}

TEST(HttpServer, StreamsInChunks) {
  TestServer server;
  RawAnswer answer = Ask(server.port(), RequestText("GET", "/stream?100"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.is_complete);
  std::string expected;
  for (int i = 0; i < 100; ++i) StrAppend(&expected, "data: ", i, "\n\n");
  EXPECT_EQ(answer.body, expected);
  EXPECT_EQ(answer.headers["content-type"], "text/event-stream");
  EXPECT_EQ(answer.headers["cache-control"], "no-cache, no-transform");
  EXPECT_EQ(answer.headers["x-accel-buffering"], "no");
  EXPECT_EQ(answer.headers["x-extra"], "1");
  EXPECT_TRUE(answer.headers.contains("x-request-id"));
}

TEST(HttpServer, SendsPiecesAsTheyAreWritten) {
  TestServer server;
  RawClient client = RawClient::Tcp(server.port());
  client.Send(RequestText("GET", "/hold"));
  auto responder = server.handler().WaitForHeld();
  responder->StartStream("text/event-stream", {});
  EXPECT_TRUE(client.ReadUntil("\r\n\r\n"));
  responder->Write("one");
  EXPECT_TRUE(client.ReadUntil("3\r\none\r\n"));
  responder->Write("two!");
  EXPECT_TRUE(client.ReadUntil("4\r\ntwo!\r\n"));
  responder->End();
  EXPECT_TRUE(client.ReadUntil("0\r\n\r\n"));
  // The connection is still good.
  client.received().clear();
  client.Send(RequestText("GET", "/hello"));
  EXPECT_EQ(client.ReadAnswer().body, "hello");
}

TEST(HttpServer, StreamsToHttp10UntilTheEndOfTheConnection) {
  TestServer server;
  RawClient client = RawClient::Tcp(server.port());
  client.Send("GET /stream?2 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  RawAnswer answer = client.ReadAnswer();
  EXPECT_EQ(answer.body, "data: 0\n\ndata: 1\n\n");
  EXPECT_FALSE(answer.headers.contains("transfer-encoding"));
  EXPECT_EQ(answer.headers["connection"], "close");
}

TEST(HttpServer, KeepsAliveOnlyIfTheClientWantsIt) {
  TestServer server;
  struct Case {
    std::string head, connection;
  };
  for (const Case& c :
       {Case{"GET /hello HTTP/1.0\r\n\r\n", "close"},
        Case{"GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "keep-alive"},
        Case{"GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "close"}}) {
    RawClient client = RawClient::Tcp(server.port());
    client.Send(c.head);
    EXPECT_EQ(client.ReadAnswer().headers["connection"], c.connection) << c.head;
    if (c.connection == "close") {
      EXPECT_TRUE(client.ReadToEnd()) << c.head;
    }
  }
}

TEST(HttpServer, AnswersHeadWithoutABody) {
  TestServer server;
  RawClient client = RawClient::Tcp(server.port());
  for (std::string target : {"/hello", "/stream?10"}) {
    client.Send(RequestText("HEAD", target));
    EXPECT_EQ(client.ReadAnswer("HEAD").status, 200);
  }
  client.Send(RequestText("GET", "/hello"));
  EXPECT_EQ(client.ReadAnswer().body, "hello");
  EXPECT_EQ(server.handler().requests().at(0).method, "GET");
  EXPECT_EQ(server.records().at(0).method, "HEAD");
}

TEST(HttpServer, SendsContinueWhenAskedTo) {
  TestServer server;
  RawClient client = RawClient::Tcp(server.port());
  const std::string request = RequestText("POST", "/echo", "abc", "Expect: 100-continue\r\n");
  client.Send(request.substr(0, request.size() - 3));
  EXPECT_TRUE(client.ReadUntil("HTTP/1.1 100 Continue\r\n\r\n"));
  client.Send("abc");
  EXPECT_EQ(client.ReadAnswer().body, "abc");
  // No invitation to a body that is refused.
  RawClient other = RawClient::Tcp(server.port());
  other.Send(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(other.ReadAnswer().status, 413);
  EXPECT_THAT(other.received(), ::testing::Not(HasSubstr("100 Continue")));
}

TEST(HttpServer, AnswersForHandlersThatLoseTheRequest) {
  TestServer server;
  EXPECT_EQ(Ask(server.port(), RequestText("GET", "/drop")).status, 500);
  EXPECT_EQ(Ask(server.port(), RequestText("GET", "/throw")).status, 500);
  // A stream that was begun is cut, so that the client sees that it is not complete.
  RawClient client = RawClient::Tcp(server.port());
  client.Send(RequestText("GET", "/hold"));
  server.handler().WaitForHeld()->StartStream("text/event-stream", {});
  EXPECT_TRUE(client.ReadUntil("\r\n\r\n"));
  server.handler().ForgetHeld();
  EXPECT_TRUE(client.ReadToEnd());
  EXPECT_FALSE(client.ReadAnswer().is_complete);
}

TEST(HttpServer, RecordsEveryFinishedRequest) {
  TestServer server;
  RawAnswer answer = Ask(server.port(), RequestText("GET", "/hello?x=1"));
  Ask(server.port(), "nonsense\r\n\r\n");
  ASSERT_TRUE(WaitUntil([&] { return server.records().size() == 2; }));
  const AccessRecord good = server.records()[0];
  EXPECT_EQ(good.id, answer.headers["x-request-id"]);
  EXPECT_EQ(good.method, "GET");
  EXPECT_EQ(good.path, "/hello");
  EXPECT_EQ(good.status, 200);
  EXPECT_GT(good.bytes, 100u);
  EXPECT_GE(good.ms, 0);
  EXPECT_EQ(good.peer, "127.0.0.1");
  EXPECT_TRUE(good.is_complete);
  EXPECT_EQ(server.records()[1].status, 400);
  EXPECT_EQ(server.records()[1].path, "");
}

TEST(HttpServer, CleansHeadersOfTheHandler) {
  TestServer server;
  RawClient client = RawClient::Tcp(server.port());
  client.Send(RequestText("GET", "/hold"));
  server.handler().WaitForHeld()->Send(
      {.body = "{}",
       .headers = {{"x-safe", "a\r\nx-injected: 1"}, {"bad name", "1"}, {"Content-Length", "7"}}});
  RawAnswer answer = client.ReadAnswer();
  EXPECT_EQ(answer.headers["x-safe"], "a  x-injected: 1");
  EXPECT_EQ(answer.headers["content-length"], "2");
  EXPECT_FALSE(answer.headers.contains("bad name"));
  EXPECT_FALSE(answer.headers.contains("x-injected"));
}

TEST(HttpServer, RefusesOptionsThatCannotWork) {
  TestHandler handler;
  ServerOptions options = {.port = 0};
  options.tls_certificate = "only-this.pem";
  EXPECT_THAT(Server::Create(options, &handler).status().message(), HasSubstr("both"));
  options = {.host = "no.such.host.invalid", .port = 0};
  EXPECT_THAT(Server::Create(options, &handler).status().message(),
              HasSubstr("no.such.host.invalid"));
  options = {.port = 70000};
  EXPECT_THAT(Server::Create(options, &handler).status().message(), HasSubstr("70000"));
  TestServer first;
  options = {.port = first.port()};
  EXPECT_THAT(Server::Create(options, &handler).status().message(), HasSubstr("--port"));
}

}  // namespace
}  // namespace infer::http
