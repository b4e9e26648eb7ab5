// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/hang_limit.h"
#include "tools/serve/http/server.h"

namespace infer::http {

// A handler without a model:
//
//   /hello             "hello"
//   /large             64 KiB
//   /echo              the body, with the path and query in headers
//   /stream?N          N pieces from another thread, then the end
//   /hold              nothing; the test finds the responder in held()
//   /drop, /throw      loses the responder
class TestHandler : public Handler {
 public:
  ~TestHandler() override;

  void Handle(Request request, std::shared_ptr<Responder> responder) override;
  Response Error(int status, std::string_view message) override;
  bool IsPublic(std::string_view method, std::string_view path) const override;
  void OnDrainEnd() override;

  // Waits until this many requests for /hold have arrived. Returns the last one's responder.
  std::shared_ptr<Responder> WaitForHeld(size_t count = 1);
  std::vector<std::shared_ptr<Responder>> held() const;
  void ForgetHeld();
  std::vector<Request> requests() const;
  void set_on_drain_end(std::function<void()> work) { on_drain_end_ = std::move(work); }

 private:
  mutable std::mutex mutex_ = {};
  std::vector<std::shared_ptr<Responder>> held_ = {};
  std::vector<Request> requests_ = {};
  std::vector<std::thread> threads_ = {};
  std::function<void()> on_drain_end_ = {};
};

// A limit of the server, in seconds, that no test reaches.
inline constexpr double kNever = 1e6;

// A path for a socket of this process. It may have 107 characters, and a build folder more.
std::string SocketPath(std::string_view name);

// A server on a free port of this machine that runs on a thread of its own.
class TestServer {
 public:
  explicit TestServer(ServerOptions options = {});
  // Ends at once.
  ~TestServer();

  Server& server() { return *server_; }
  TestHandler& handler() { return handler_; }
  int port() const { return server_->port(); }
  ServerCounts counts() const { return server_->counts(); }
  std::vector<AccessRecord> records() const;
  // Waits until Run has returned.
  void Join();

 private:
  TestHandler handler_ = {};
  mutable std::mutex mutex_ = {};
  std::vector<AccessRecord> records_ = {};
  std::unique_ptr<Server> server_ = {};
  std::thread thread_ = {};
};

}  // namespace infer::http
