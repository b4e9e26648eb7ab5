// SPDX-License-Identifier: Apache-2.0
//
// Streams: clients that leave, clients that read slowly, and handlers on other threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "ir/base/strings.h"
#include "tests/tools/serve/http/raw_client.h"
#include "tests/tools/serve/http/test_server.h"

namespace infer::http {
namespace {

TEST(HttpStream, TellsTheHandlerWhenTheClientLeaves) {
  for (bool is_streaming : {false, true}) {
    for (bool is_reset : {false, true}) {
      TestServer server;
      RawClient client = RawClient::Tcp(server.port());
      client.Send(RequestText("GET", "/hold"));
      auto responder = server.handler().WaitForHeld();
      std::atomic<int> closed = 0;
      responder->OnClosed([&] { ++closed; });
      if (is_streaming) {
        responder->StartStream("text/event-stream", {});
        responder->Write("one");
        EXPECT_TRUE(client.ReadUntil("one"));
      }
      EXPECT_EQ(closed, 0);
      is_reset ? client.Reset() : client.Close();
      EXPECT_TRUE(WaitUntil([&] { return closed == 1; }));
      EXPECT_TRUE(WaitUntil([&] { return server.counts().open_connections == 0; }));
      // Whatever comes later is ignored.
      responder->Write("two");
      responder->End();
      responder->Send({});
      EXPECT_EQ(responder->unsent_bytes(), 0u);
      const AccessRecord record = server.records().at(0);
      EXPECT_EQ(record.status, is_streaming ? 200 : 499);
      EXPECT_FALSE(record.is_complete);
      EXPECT_EQ(server.counts().lost_clients, 1u);
      EXPECT_EQ(closed, 1);
    }
  }
}

TEST(HttpStream, TellsALateListenerToo) {
  TestServer server;
  RawClient client = RawClient::Tcp(server.port());
  client.Send(RequestText("GET", "/hold"));
  auto responder = server.handler().WaitForHeld();
  client.Close();
  ASSERT_TRUE(WaitUntil([&] { return server.counts().lost_clients == 1; }));
  std::atomic<bool> is_closed = false;
  responder->OnClosed([&] { is_closed = true; });
  EXPECT_TRUE(WaitUntil([&] { return is_closed.load(); }));
}

TEST(HttpStream, DoesNotCallAnEndedStreamClosed) {
  TestServer server;
  std::atomic<bool> is_closed = false;
  {
    RawClient client = RawClient::Tcp(server.port());
    client.Send(RequestText("GET", "/hold"));
    auto responder = server.handler().WaitForHeld();
    responder->OnClosed([&] { is_closed = true; });
    responder->StartStream("text/event-stream", {});
    responder->End();
    EXPECT_TRUE(client.ReadAnswer().is_complete);
  }
  EXPECT_TRUE(WaitUntil([&] { return server.counts().open_connections == 0; }));
  EXPECT_FALSE(is_closed);
}

TEST(HttpStream, KeepsRequestsThatArriveDuringAStream) {
  TestServer server;
  RawClient client = RawClient::Tcp(server.port());
  client.Send(RequestText("GET", "/hold") + RequestText("POST", "/echo", "next") +
              RequestText("POST", "/echo", "last"));
  auto responder = server.handler().WaitForHeld();
  responder->Send({.body = "held"});
  EXPECT_EQ(client.ReadAnswer().body, "held");
  EXPECT_EQ(client.ReadAnswer().body, "next");
  EXPECT_EQ(client.ReadAnswer().body, "last");
}

// A client may not fill the server's memory with requests it gets no answer to yet.
TEST(HttpStream, StopsReadingTooManyPipelinedRequests) {
  TestServer server;
  RawClient client = RawClient::Tcp(server.port());
  client.Send(RequestText("GET", "/hold"));
  auto responder = server.handler().WaitForHeld();
  std::string requests;
  for (int i = 0; i < 1000; ++i) requests += RequestText("POST", "/echo", StrCat("n", i));
  constexpr size_t kFirst = 8 << 10;  // fits into the kernel's buffers
  client.Send(requests.substr(0, kFirst));
  std::thread sender([&] { client.Send(requests.substr(kFirst)); });
  // The server has looked at its connections several times when it has answered these.
  RawClient other = RawClient::Tcp(server.port());
  for (int i = 0; i < 5; ++i) {
    other.Send(RequestText("GET", "/hello"));
    EXPECT_EQ(other.ReadAnswer().status, 200);
  }
  EXPECT_EQ(server.handler().requests().size(), 6u);
  responder->Send({.body = "held"});
  EXPECT_EQ(client.ReadAnswer().body, "held");
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(client.ReadAnswer().body, StrCat("n", i));
  sender.join();
}

// More than the kernel holds of a stream whose client has a small buffer and does not read.
size_t KernelBytes() {
  size_t smallest = 0, usual = 0, largest = 4 << 20;
  std::ifstream("/proc/sys/net/ipv4/tcp_wmem") >> smallest >> usual >> largest;
  return largest + (1 << 20);
}

TEST(HttpStream, ReportsABacklogAndItsEnd) {
  const size_t limit = KernelBytes();
  TestServer server({.max_unsent_bytes = limit, .unsent_seconds = kNever});
  RawClient client = RawClient::SlowTcp(server.port(), 64 << 10);
  client.Send(RequestText("GET", "/hold"));
  auto responder = server.handler().WaitForHeld();
  std::atomic<bool> is_full = false;
  responder->OnBacklog([&](bool full) { is_full = full; });
  responder->StartStream("text/event-stream", {});
  const size_t written = 2 * limit;  // more than the limit stays unsent
  responder->Write(std::string(written, 'x'));
  EXPECT_TRUE(WaitUntil([&] { return is_full.load(); }));
  EXPECT_GT(responder->unsent_bytes(), limit);
  while (is_full && client.ReadSome(1)) {
  }
  EXPECT_LE(responder->unsent_bytes(), limit / 2);
  responder->End();
  RawAnswer answer = client.ReadAnswer();
  EXPECT_TRUE(answer.is_complete);
  EXPECT_EQ(answer.body.size(), written);
}

TEST(HttpStream, DropsAClientThatReadsNothing) {
  const size_t limit = KernelBytes();
  TestServer server({.max_unsent_bytes = limit, .unsent_seconds = 0.5});
  RawClient client = RawClient::SlowTcp(server.port());
  client.Send(RequestText("GET", "/hold"));
  auto responder = server.handler().WaitForHeld();
  std::atomic<bool> is_closed = false;
  responder->OnClosed([&] { is_closed = true; });
  responder->StartStream("text/event-stream", {});
  responder->Write(std::string(2 * limit, 'x'));
  EXPECT_TRUE(WaitUntil([&] { return is_closed.load(); }));
  // By the server or, at about the same time, by the kernel.
  EXPECT_EQ(server.counts().lost_clients, 1u);
}

TEST(HttpStream, CutsAHandlerThatIgnoresTheBacklog) {
  TestServer server({.max_unsent_bytes = 4 << 10});
  RawClient client = RawClient::SlowTcp(server.port());
  client.Send(RequestText("GET", "/hold"));
  auto responder = server.handler().WaitForHeld();
  std::atomic<bool> is_closed = false;
  responder->OnClosed([&] { is_closed = true; });
  responder->StartStream("text/event-stream", {});
  for (int i = 0; i < 100'000 && !is_closed; ++i) {
    responder->Write(std::string(16 << 10, 'x'));
    ASSERT_LT(responder->unsent_bytes(), 16u << 20);
  }
  EXPECT_TRUE(WaitUntil([&] { return is_closed.load(); }));
}

TEST(HttpStream, SendsLargeBodiesToSlowReaders) {
  using Clock = std::chrono::steady_clock;
  const std::string body(12 << 20, 'y');
  RawAnswer answer;
  Clock::duration longest_pause;
  // Where the machine kept the client from reading, the server was right to give up: once more.
  do {
    TestServer server({.unsent_seconds = 1});
    RawClient client = RawClient::SlowTcp(server.port(), 256 << 10);
    client.Send(RequestText("GET", "/hold"));
    server.handler().WaitForHeld()->Send({.body = body});
    // Takes longer than the limit as a whole, but goes on all the time.
    longest_pause = {};
    for (int i = 0; i < 12; ++i) {
      const auto start = Clock::now();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const size_t wanted = client.received().size() + (1 << 20);
      bool is_open = true;
      while (is_open && client.received().size() < wanted) is_open = client.ReadSome(1);
      longest_pause = std::max(longest_pause, Clock::now() - start);
      if (!is_open) break;
    }
    answer = client.ReadAnswer();
  } while (!answer.is_complete && longest_pause > std::chrono::milliseconds(500));
  EXPECT_TRUE(answer.is_complete);
  EXPECT_EQ(answer.body, body);
}

TEST(HttpStream, TakesPiecesFromManyThreads) {
  TestServer server;
  constexpr int kClients = 8, kPieces = 300;
  std::vector<RawClient> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(RawClient::Tcp(server.port()));
    clients.back().Send(RequestText("GET", "/hold"));
  }
  server.handler().WaitForHeld(kClients);
  std::vector<std::thread> writers;
  for (auto& responder : server.handler().held()) {
    writers.emplace_back([responder] {
      responder->StartStream("text/event-stream", {});
      for (int i = 0; i < kPieces; ++i) responder->Write("piece");
      responder->End();
    });
  }
  for (RawClient& client : clients) {
    RawAnswer answer = client.ReadAnswer();
    EXPECT_TRUE(answer.is_complete);
    EXPECT_EQ(answer.body.size(), 5u * kPieces);
  }
  for (std::thread& writer : writers) writer.join();
}

TEST(HttpStream, ResponderMayOutliveTheServer) {
  std::shared_ptr<Responder> responder;
  RawClient client = RawClient::Tcp(0);
  {
    TestServer server({.drain_grace_seconds = 0.1});
    client = RawClient::Tcp(server.port());
    client.Send(RequestText("GET", "/hold"));
    responder = server.handler().WaitForHeld();
    server.server().Drain(0);
    server.Join();
  }
  bool is_closed = false;
  responder->StartStream("text/event-stream", {});
  responder->Write("late");
  responder->OnClosed([&] { is_closed = true; });
  EXPECT_TRUE(is_closed);
  responder->End();
}

}  // namespace
}  // namespace infer::http
