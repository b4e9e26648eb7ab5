// SPDX-License-Identifier: Apache-2.0
//
// Limits of time, connections, memory and file descriptors.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "ir/base/strings.h"
#include "tests/tools/serve/http/raw_client.h"
#include "tests/tools/serve/http/test_server.h"

namespace infer::http {
namespace {

TEST(HttpLimits, ClosesIdleConnections) {
  // Two servers: the answer to the second client may take any time.
  TestServer silent_server({.header_seconds = 0.3});
  TestServer idle_server({.header_seconds = kNever, .idle_seconds = 0.3});
  RawClient silent = RawClient::Tcp(silent_server.port());
  RawClient idle = RawClient::Tcp(idle_server.port());
  idle.Send(RequestText("GET", "/hello"));
  EXPECT_EQ(idle.ReadAnswer().status, 200);
  EXPECT_TRUE(silent.ReadToEnd());
  EXPECT_TRUE(idle.ReadToEnd());
  EXPECT_EQ(silent.received(), "");
  EXPECT_EQ(idle.received(), "");
}

TEST(HttpLimits, LetsAFastBodyTakeLongerThanTheBaseTime) {
  // Each piece allows for 200 s more, and all of them take at least twice the base time.
  TestServer server({.body_seconds = 0.3, .min_body_rate = 1});
  RawClient client = RawClient::Tcp(server.port());
  const std::string request = RequestText("POST", "/echo", std::string(2000, 'x'));
  const size_t head = request.size() - 2000;
  client.Send(request.substr(0, head + 200));
  for (int i = 1; i < 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(70));
    ASSERT_TRUE(client.Send(request.substr(head + 200 * i, 200)));
  }
  EXPECT_EQ(client.ReadAnswer().body.size(), 2000u);
}

TEST(HttpLimits, RefusesConnectionsAboveTheLimit) {
  TestServer server({.max_connections = 3});
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(RawClient::Tcp(server.port()));
    clients.back().Send(RequestText("GET", "/hello"));
    EXPECT_EQ(clients.back().ReadAnswer().status, 200);
  }
  RawClient refused = RawClient::Tcp(server.port());
  refused.Send(RequestText("GET", "/hello"));
  RawAnswer answer = refused.ReadAnswer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers["retry-after"], "1");
  EXPECT_TRUE(refused.ReadToEnd());
  EXPECT_EQ(server.counts().refused_connections, 1u);
  // A place that becomes free is given away again.
  clients.pop_back();
  EXPECT_TRUE(WaitUntil([&] {
    RawClient again = RawClient::Tcp(server.port());
    again.Send(RequestText("GET", "/hello"));
    return again.ReadAnswer().status == 200;
  }));
}

TEST(HttpLimits, CountsConnectionsPerAddress) {
  TestServer server({.max_connections_per_address = 2});
  std::vector<RawClient> clients;
  for (int i = 0; i < 2; ++i) {
    clients.push_back(RawClient::Tcp(server.port()));
    clients.back().Send(RequestText("GET", "/hello"));
    EXPECT_EQ(clients.back().ReadAnswer().status, 200);
  }
  RawClient refused = RawClient::Tcp(server.port());
  EXPECT_EQ(refused.ReadAnswer().status, 503);
}

TEST(HttpLimits, BoundsTheMemoryOfAllBodies) {
  TestServer server({.max_bodies_bytes = 100'000});
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(RawClient::Tcp(server.port()));
    clients.back().Send(RequestText("POST", "/echo", std::string(45'000, 'x')).substr(0, 44'000));
  }
  EXPECT_TRUE(WaitUntil([&] {
    return std::ranges::any_of(clients, [](RawClient& client) {
      client.ReadSome(0);
      return client.received().starts_with("HTTP/1.1 503 ");
    });
  }));
  clients.clear();
  EXPECT_TRUE(WaitUntil([&] { return server.counts().open_connections == 0; }));
  EXPECT_EQ(server.counts().refused_requests, 1u);
  // What they held is free again.
  RawClient client = RawClient::Tcp(server.port());
  client.Send(RequestText("POST", "/echo", std::string(90'000, 'x')));
  EXPECT_EQ(client.ReadAnswer().status, 200);
}

TEST(HttpLimits, WaitsForFileDescriptorsWithoutSpinning) {
  TestServer server;
  RawClient first = RawClient::Tcp(server.port());
  first.Send(RequestText("GET", "/hello"));
  EXPECT_EQ(first.ReadAnswer().status, 200);
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit old_limit = limit;
  limit.rlim_cur = 128;
  setrlimit(RLIMIT_NOFILE, &limit);
  std::vector<int> taken;
  for (int fd = dup(0); fd >= 0; fd = dup(0)) taken.push_back(fd);
  ASSERT_FALSE(taken.empty());
  close(taken.back());
  taken.pop_back();
  // Takes the last descriptor; the server has none for its end.
  RawClient second = RawClient::Tcp(server.port());
  second.Send(RequestText("GET", "/hello"));
  // It waits for 0.1 s between two attempts: four of them have three such pauses between them.
  const auto start = std::chrono::steady_clock::now();
  const uint64_t before = server.counts().accept_failures;
  EXPECT_TRUE(WaitUntil([&] { return server.counts().accept_failures >= before + 4; }));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(300));
  first.Send(RequestText("GET", "/hello"));
  EXPECT_EQ(first.ReadAnswer().status, 200);
  for (int fd : taken) close(fd);
  setrlimit(RLIMIT_NOFILE, &old_limit);
  EXPECT_EQ(second.ReadAnswer().status, 200);
}

}  // namespace
}  // namespace infer::http
