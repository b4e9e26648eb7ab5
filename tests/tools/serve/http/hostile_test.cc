// SPDX-License-Identifier: Apache-2.0
//
// Malformed and abusive requests, all at the same time, beside a stream that must not notice.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ir/base/strings.h"
#include "tests/tools/serve/http/hostile_cases.h"
#include "tests/tools/serve/http/raw_client.h"
#include "tests/tools/serve/http/test_server.h"

namespace infer::http {
namespace {

using Clock = std::chrono::steady_clock;
using Manner = HostileCase::Manner;

// A client that is slower is given up by a server with this limit.
constexpr double kSlowSeconds = 0.5;

ServerOptions Limits(double seconds) {
  return {.header_seconds = seconds,
          .max_body_bytes = 64 << 10,
          .body_seconds = seconds,
          .idle_seconds = seconds,
          .max_connections_per_address = 4096,
          .max_unsent_bytes = 64 << 10,
          .unsent_seconds = seconds};
}

// Whether the server can only wait for such a client until it gives it up.
bool IsSlow(const HostileCase& c) {
  return c.manner == Manner::kTrickle || c.manner == Manner::kStall ||
         c.statuses == std::vector{408};
}

// Returns when it had begun to send.
Clock::time_point SendCase(const HostileCase& c, RawClient* client) {
  if (c.manner != Manner::kTrickle) {
    client->Send(c.bytes);
    if (c.manner == Manner::kHalfClose) client->ShutdownSend();
    return Clock::now();
  }
  client->Send(c.bytes.substr(0, 1));
  const auto begun = Clock::now();
  for (char byte : c.bytes.substr(1)) {
    if (!client->Send(std::string_view(&byte, 1)) || !client->ReadSome(0.02)) break;
    if (!client->received().empty()) break;
  }
  return begun;
}

// Why the server's reaction is wrong; empty if it is right.
std::string Mistake(const HostileCase& c, RawClient* client) {
  if (c.manner == Manner::kReset) {
    client->Reset();
    return "";
  }
  RawAnswer answer = client->ReadAnswer();
  if (std::ranges::count(c.statuses, answer.status) == 0) {
    return StrCat("answered with ", answer.status, " ", answer.body);
  }
  if (answer.status == 0) return client->ReadToEnd() ? "" : "neither answered nor closed";
  if (answer.status >= 500 && (answer.status != 503 || !answer.headers.contains("retry-after"))) {
    return "a status of 5xx";
  }
  if (!answer.is_complete) return "the answer is not complete";
  if (answer.status < 400 || answer.status == 404) return "";  // of the handler
  if (!answer.body.starts_with("{\"error\":\"") || answer.body.size() < 30) {
    return StrCat("the body does not help: ", answer.body);
  }
  return client->ReadToEnd() ? "" : "the connection was not closed";
}

// Sends all cases at about the same time. Returns the mistakes.
std::vector<std::string> RunAll(const std::vector<HostileCase>& cases, int port) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::vector<std::string> mistakes;
  std::vector<std::thread> threads;
  for (int i = 0; i < 64; ++i) {
    threads.emplace_back([&] {
      for (size_t at = next++; at < cases.size(); at = next++) {
        std::string mistake;
        std::chrono::duration<double> to_begin;
        // A client that the machine kept from beginning in time gets another turn.
        do {
          const auto start = Clock::now();
          RawClient client = RawClient::Tcp(port);
          to_begin = SendCase(cases[at], &client) - start;
          mistake = Mistake(cases[at], &client);
        } while (!mistake.empty() && IsSlow(cases[at]) && to_begin.count() > kSlowSeconds / 2);
        if (mistake.empty()) continue;
        const std::lock_guard lock(mutex);
        mistakes.push_back(StrCat(cases[at].name, ": ", mistake));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return mistakes;
}

// A stream with a piece every few milliseconds.
class Witness {
 public:
  explicit Witness(TestServer* server) : client_(RawClient::Tcp(server->port())) {
    client_.Send(RequestText("GET", "/hold", "", "X-Api-Key: good-key-1\r\n"));
    responder_ = server->handler().WaitForHeld();
    responder_->StartStream("text/event-stream", {});
    writer_ = std::thread([this] {
      while (!is_over_) {
        responder_->Write(std::string(kPiece));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      responder_->End();
    });
    reader_ = std::thread([this] {
      while (!client_.received().ends_with(kEnd) && client_.ReadSome(1)) {
        bytes_ = client_.received().size();
      }
    });
  }

  // Waits until the client has received a hundred more pieces.
  bool GoesOn() const {
    const size_t wanted = bytes_ + 100 * kPiece.size();
    return WaitUntil([&] { return bytes_ >= wanted; });
  }

  // Returns whether the stream came to its end.
  bool Stop() {
    is_over_ = true;
    writer_.join();
    reader_.join();
    return client_.received().ends_with(kEnd);
  }

 private:
  static constexpr std::string_view kPiece = "data: x\n\n";
  static constexpr std::string_view kEnd = "\r\n0\r\n\r\n";

  RawClient client_;
  std::shared_ptr<Responder> responder_ = {};
  std::atomic<bool> is_over_ = false;
  std::atomic<size_t> bytes_ = 0;  // received
  std::thread writer_ = {}, reader_ = {};
};

void ExpectAllRefused(const std::vector<HostileCase>& cases, TestServer* server) {
  Witness witness(server);
  const std::vector<std::string> mistakes = RunAll(cases, server->port());
  for (const std::string& mistake : mistakes) ADD_FAILURE() << mistake;
  EXPECT_TRUE(witness.Stop()) << "a stream was cut because of other clients";
  for (const Request& request : server->handler().requests()) {
    EXPECT_NE(request.path, "/smuggled");
  }
  EXPECT_TRUE(WaitUntil([&] { return server->counts().open_connections <= 1; }));
  // It works as before.
  RawClient client = RawClient::Tcp(server->port());
  client.Send(RequestText("POST", "/echo", "fine", "X-Api-Key: good-key-1\r\n"));
  EXPECT_EQ(client.ReadAnswer().body, "fine");
}

TEST(HttpHostile, EveryCaseIsRefused) {
  std::vector<HostileCase> cases = HostileCases();
  EXPECT_GE(cases.size(), 300u);
  RecordProperty("cases", static_cast<int>(cases.size()));
  const auto slow = std::ranges::partition(cases, [](const auto& c) { return !IsSlow(c); });
  TestServer patient(Limits(kNever));
  ExpectAllRefused({cases.begin(), slow.begin()}, &patient);
  TestServer impatient(Limits(kSlowSeconds));
  for (const std::string& mistake : RunAll({slow.begin(), slow.end()}, impatient.port())) {
    ADD_FAILURE() << mistake;
  }
}

// With limits that never end, a server that waited for one client would serve nobody else.
TEST(HttpHostile, ClientsThatKeepItWaitingStallNobody) {
  constexpr size_t kReaders = 20;
  TestServer server(Limits(kNever));
  Witness witness(&server);
  std::vector<RawClient> clients;
  for (const HostileCase& c : HostileCases()) {
    clients.push_back(RawClient::Tcp(server.port()));
    clients.back().Send(c.bytes);
  }
  for (size_t i = 0; i < kReaders; ++i) {
    clients.push_back(RawClient::SlowTcp(server.port()));
    clients.back().Send(RequestText("GET", "/hold"));
  }
  EXPECT_NE(server.handler().WaitForHeld(1 + kReaders), nullptr);
  const auto held = server.handler().held();
  for (size_t i = 1; i < held.size(); ++i) {
    held[i]->StartStream("text/event-stream", {});
    held[i]->Write(std::string(1 << 20, 'x'));
  }
  EXPECT_TRUE(witness.GoesOn());
  EXPECT_TRUE(witness.Stop());
  RawClient client = RawClient::Tcp(server.port());
  client.Send(RequestText("GET", "/hello"));
  EXPECT_EQ(client.ReadAnswer().body, "hello");
}

TEST(HttpHostile, NoWayAroundTheKey) {
  const std::string path = StrCat(::testing::TempDir(), "/infer_hostile_keys");
  std::ofstream(path) << "good good-key-1\n";
  ServerOptions options = Limits(kNever);
  options.keys_file = path;
  TestServer server(options);
  ExpectAllRefused(HostileKeyCases(), &server);
  for (const Request& request : server.handler().requests()) EXPECT_EQ(request.key_name, "good");
}

// Clients that ask for much and read nothing; the handler obeys the backlog as the API does.
TEST(HttpHostile, SlowReadersAreDropped) {
  ServerOptions options = Limits(kNever);
  options.unsent_seconds = kSlowSeconds;
  TestServer server(options);
  constexpr size_t kReaders = 20;
  Witness witness(&server);
  std::vector<RawClient> clients;
  for (size_t i = 0; i < kReaders; ++i) {
    clients.push_back(RawClient::SlowTcp(server.port()));
    clients.back().Send(RequestText("GET", "/hold"));
  }
  server.handler().WaitForHeld(1 + kReaders);
  std::vector<std::thread> writers;
  std::atomic<size_t> closed = 0;
  auto held = server.handler().held();
  for (size_t i = 1; i < held.size(); ++i) {
    held[i]->OnClosed([&] { ++closed; });
    writers.emplace_back([responder = held[i], &closed] {
      responder->StartStream("text/event-stream", {});
      while (closed < kReaders) {
        if (responder->unsent_bytes() < (128 << 10)) responder->Write(std::string(32 << 10, 'x'));
        if (responder->unsent_bytes() > (64 << 10)) {
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
      }
    });
  }
  EXPECT_TRUE(WaitUntil([&] { return closed == kReaders; }));
  closed = kReaders;
  for (std::thread& writer : writers) writer.join();
  EXPECT_TRUE(witness.Stop());
  // By the server or, at about the same time, by the kernel.
  EXPECT_EQ(server.counts().lost_clients, kReaders);
}

}  // namespace
}  // namespace infer::http
