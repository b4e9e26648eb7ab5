// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/bench/serve/fake_server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"

namespace infer::load {

bool FakeConnection::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

void FakeConnection::SendResponse(int status, std::string_view type, std::string_view body) {
  Send(StrCat("HTTP/1.1 ", status, " X\r\nContent-Type: ", type,
              "\r\nContent-Length: ", body.size(), "\r\n\r\n", body));
}

void FakeConnection::StartStream() {
  Send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
}

bool FakeConnection::SendChunk(std::string_view bytes) {
  return Send(StrCat(absl::StrFormat("%x", bytes.size()), "\r\n", bytes, "\r\n"));
}

bool FakeConnection::SendText(std::string_view text) {
  return SendChunk(StrCat("data: {\"choices\":[{\"index\":0,\"text\":\"", text, "\"}]}\n\n"));
}

void FakeConnection::EndStream(int64_t prompt_tokens, int64_t output_tokens,
                               int64_t cached_tokens) {
  SendChunk("data: {\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"length\"}]}\n\n");
  SendChunk(StrCat("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":", prompt_tokens,
                   ",\"completion_tokens\":", output_tokens,
                   ",\"prompt_tokens_details\":{\"cached_tokens\":", cached_tokens,
                   "}}}\n\ndata: [DONE]\n\n"));
  SendChunk("");
}

void FakeConnection::Reset() {
  const linger at_once = {.l_onoff = 1, .l_linger = 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

bool FakeConnection::WaitForClose(std::chrono::milliseconds time) {
  pollfd ready = {.fd = fd_, .events = POLLIN, .revents = 0};
  if (poll(&ready, 1, static_cast<int>(time.count())) <= 0) return false;
  char byte;
  return recv(fd_, &byte, 1, 0) <= 0;
}

FakeServer::FakeServer(Script script) : script_(std::move(script)) {
  listener_ = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  listen(listener_, 512);
  socklen_t bytes = sizeof(address);
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &bytes);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

FakeServer::~FakeServer() {
  stop_ = true;
  acceptor_.join();
  close(listener_);
  for (std::thread& thread : threads_) thread.join();
}

std::vector<FakeRequest> FakeServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void FakeServer::Accept() {
  while (!stop_) {
    pollfd ready = {.fd = listener_, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, /*timeout=*/20) <= 0) continue;
    const int fd = accept(listener_, nullptr, nullptr);
    if (fd < 0) continue;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    threads_.emplace_back([this, fd] { Serve(fd); });
  }
}

void FakeServer::Serve(int fd) {
  std::string text;
  char buffer[1 << 16];
  size_t end = text.npos;
  size_t length = 0;
  while (end == text.npos || text.size() < end + 4 + length) {
    const ssize_t count = recv(fd, buffer, sizeof(buffer), 0);
    if (count <= 0) break;
    text.append(buffer, static_cast<size_t>(count));
    end = text.find("\r\n\r\n");
    const size_t field = text.find("Content-Length: ");
    if (field < end) length = static_cast<size_t>(std::atol(text.c_str() + field + 16));
  }
  FakeRequest request;
  request.head = text.substr(0, end);
  if (end != text.npos) request.body = text.substr(end + 4);
  std::istringstream words(request.head);
  std::string method;
  words >> method >> request.path;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  FakeConnection connection(fd);
  script_(request, connection);
  close(fd);
}

int64_t NumberIn(const std::string& body, const std::string& name) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  return json.is_object() ? json.value(name, int64_t{-1}) : -1;
}

std::vector<std::string> PromptWordsIn(const std::string& body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  std::istringstream stream(json.is_object() ? json.value("prompt", "") : "");
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace infer::load
