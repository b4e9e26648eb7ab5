// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/hang_limit.h"

namespace infer::load {

// A connection that a script answers on. Blocking: each has a thread.
class FakeConnection {
 public:
  explicit FakeConnection(int fd) : fd_(fd) {}

  // Returns whether the client still takes bytes.
  bool Send(std::string_view bytes);
  void SendResponse(int status, std::string_view type, std::string_view body);
  // The head of an event stream in chunks.
  void StartStream();
  bool SendChunk(std::string_view bytes);
  // An event with a piece of text, in the shape of /v1/completions.
  bool SendText(std::string_view text);
  // The last events: finish_reason, usage and [DONE].
  void EndStream(int64_t prompt_tokens, int64_t output_tokens, int64_t cached_tokens);
  // Ends the connection with a reset.
  void Reset();
  // Returns whether the client has closed its side within the time.
  bool WaitForClose(std::chrono::milliseconds time = kHangLimit);

 private:
  int fd_;
};

struct FakeRequest {
  std::string head;  // request line and headers
  std::string path;
  std::string body;
};

// A server on a free port of 127.0.0.1 whose answers are scripted. Serves until it is destroyed.
class FakeServer {
 public:
  using Script = std::function<void(const FakeRequest&, FakeConnection&)>;

  explicit FakeServer(Script script);
  ~FakeServer();

  int port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<FakeRequest> requests() const;

 private:
  void Accept();
  void Serve(int fd);

  Script script_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;
  std::vector<FakeRequest> requests_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

// Returns the number that follows `"name":` in a request's body; -1 if there is none.
int64_t NumberIn(const std::string& body, const std::string& name);
// Returns the words of the prompt of a completion request.
std::vector<std::string> PromptWordsIn(const std::string& body);

}  // namespace infer::load
