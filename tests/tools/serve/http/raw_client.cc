// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/serve/http/raw_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "ir/base/strings.h"
#include "tests/support/hang_limit.h"

namespace infer::http {
namespace {

// Reading waits itself.
constexpr double kLookSeconds = 0.05;
constexpr std::chrono::milliseconds kNoPause{0};

int ConnectTcp(int port, int receive_bytes) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (receive_bytes > 0) {
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
  }
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return fd;
  close(fd);
  return -1;
}

// Takes the chunks off `text`. Returns false if the last one has not arrived.
bool TakeChunks(std::string* text, std::string* body) {
  size_t at = 0;
  while (true) {
    const size_t line = text->find("\r\n", at);
    if (line == text->npos) return false;
    const size_t size = std::strtoull(text->c_str() + at, nullptr, 16);
    if (line + 2 + size + 2 > text->size()) return false;
    body->append(*text, line + 2, size);
    at = line + 2 + size + 2;
    if (size == 0) break;
  }
  text->erase(0, at);
  return true;
}

}  // namespace

std::string RequestText(std::string_view method, std::string_view target, std::string_view body,
                        std::string_view more_headers) {
  std::string text = StrCat(method, " ", target, " HTTP/1.1\r\nHost: localhost\r\n", more_headers);
  if (!body.empty()) {
    StrAppend(&text, "Content-Type: application/json\r\nContent-Length: ", body.size(), "\r\n");
  }
  StrAppend(&text, "\r\n", body);
  return text;
}

RawAnswer TakeAnswer(std::string* text, std::string_view method, bool is_at_end) {
  RawAnswer answer;
  while (text->starts_with("HTTP/1.1 100 ")) text->erase(0, text->find("\r\n\r\n") + 4);
  const size_t end = text->find("\r\n\r\n");
  if (end == text->npos || !text->starts_with("HTTP/1.1 ")) return answer;
  answer.status = std::atoi(text->c_str() + 9);
  for (size_t at = text->find("\r\n") + 2; at < end + 2;) {
    const size_t line_end = text->find("\r\n", at);
    const size_t colon = text->find(": ", at);
    std::string name = text->substr(at, colon - at);
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    answer.headers[name] = text->substr(colon + 2, line_end - colon - 2);
    at = line_end + 2;
  }
  text->erase(0, end + 4);
  if (method == "HEAD" || answer.status == 204 || answer.status == 304) {
    answer.is_complete = true;
  } else if (answer.headers.contains("content-length")) {
    const size_t length = std::strtoull(answer.headers["content-length"].c_str(), nullptr, 10);
    answer.is_complete = text->size() >= length;
    answer.body = text->substr(0, length);
    text->erase(0, length);
  } else if (answer.headers.contains("transfer-encoding")) {
    answer.is_complete = TakeChunks(text, &answer.body);
  } else {
    answer.body = std::exchange(*text, {});
    answer.is_complete = is_at_end;
  }
  return answer;
}

RawClient RawClient::Tcp(int port) { return RawClient(ConnectTcp(port, 0)); }
RawClient RawClient::SlowTcp(int port, int receive_bytes) {
  return RawClient(ConnectTcp(port, receive_bytes));
}

RawClient RawClient::Unix(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    return RawClient(fd);
  }
  close(fd);
  return RawClient(-1);
}

RawClient::RawClient(RawClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      received_(std::move(other.received_)),
      is_at_end_(other.is_at_end_) {}

RawClient& RawClient::operator=(RawClient&& other) noexcept {
  Close();
  fd_ = std::exchange(other.fd_, -1);
  received_ = std::move(other.received_);
  is_at_end_ = other.is_at_end_;
  return *this;
}

RawClient::~RawClient() { Close(); }

void RawClient::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

void RawClient::Reset() {
  const linger at_once = {.l_onoff = 1, .l_linger = 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  Close();
}

void RawClient::ShutdownSend() { shutdown(fd_, SHUT_WR); }

bool RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool RawClient::ReadSome(double seconds) {
  if (fd_ < 0 || is_at_end_) return false;
  pollfd waiting = {.fd = fd_, .events = POLLIN, .revents = 0};
  if (poll(&waiting, 1, static_cast<int>(seconds * 1000)) <= 0) return true;
  char buffer[16 << 10];
  const ssize_t bytes = recv(fd_, buffer, sizeof(buffer), 0);
  is_at_end_ = bytes <= 0;
  if (bytes > 0) received_.append(buffer, static_cast<size_t>(bytes));
  return !is_at_end_;
}

bool RawClient::ReadUntil(std::string_view text) {
  const auto is_there = [&] { return received_.find(text) != received_.npos; };
  EXPECT_TRUE(WaitUntil([&] { return is_there() || !ReadSome(kLookSeconds); }, kNoPause));
  return is_there();
}

bool RawClient::ReadToEnd() {
  EXPECT_TRUE(WaitUntil([&] { return !ReadSome(kLookSeconds); }, kNoPause));
  return is_at_end_;
}

RawAnswer RawClient::ReadAnswer(std::string_view method) {
  RawAnswer answer;
  std::string rest;
  const auto has_come = [&] {
    rest = received_;
    answer = TakeAnswer(&rest, method, is_at_end_);
    if (answer.is_complete || is_at_end_) return true;
    // Long answers are not looked at again for every piece of them.
    const size_t tried = received_.size();
    size_t before;
    do {
      before = received_.size();
      ReadSome(kLookSeconds);
    } while (received_.size() > before && received_.size() < 2 * tried);
    return false;
  };
  EXPECT_TRUE(WaitUntil(has_come, kNoPause));
  received_ = std::move(rest);
  return answer;
}

}  // namespace infer::http
