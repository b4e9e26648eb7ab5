// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/exchange.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace infer::load {
namespace {

bool IsTemporary(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR || error == EINPROGRESS;
}

#ifdef MSG_NOSIGNAL
constexpr int kSendFlags = MSG_NOSIGNAL;
#else
constexpr int kSendFlags = 0;  // the tools ignore SIGPIPE
#endif

}  // namespace

std::string_view Name(Failure failure) {
  switch (failure) {
    case Failure::kNone:
      return "none";
    case Failure::kConnect:
      return "cannot connect";
    case Failure::kReset:
      return "connection broke";
    case Failure::kClosedEarly:
      return "closed early";
    case Failure::kTimeout:
      return "timeout";
    case Failure::kStatus:
      return "HTTP status";
    case Failure::kBadHttp:
      return "not HTTP";
    case Failure::kBadEvent:
      return "event is not JSON";
    case Failure::kErrorEvent:
      return "error event";
  }
  return "unknown";
}

Exchange::Exchange(const ServerUrl& url, std::string request) : request_(std::move(request)) {
  fd_ = socket(url.address.ss_family, SOCK_STREAM, 0);
  if (fd_ < 0) {
    End(Failure::kConnect);
    return;
  }
  fcntl(fd_, F_SETFL, O_NONBLOCK);
  fcntl(fd_, F_SETFD, FD_CLOEXEC);
  if (url.address.ss_family != AF_UNIX) {
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  const auto* address = reinterpret_cast<const sockaddr*>(&url.address);
  if (connect(fd_, address, url.address_bytes) == 0) {
    is_connected_ = true;
  } else if (!IsTemporary(errno)) {
    End(Failure::kConnect);
  }
}

Exchange::~Exchange() {
  if (fd_ >= 0) close(fd_);
}

short Exchange::events() const { return is_connected_ && is_sent() ? POLLIN : POLLIN | POLLOUT; }

void Exchange::End(Failure failure) {
  is_ended_ = true;
  failure_ = failure;
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

void Exchange::Leave(bool reset) {
  if (fd_ < 0) return;
  if (reset) {
    const linger at_once = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  }
  End(Failure::kNone);
}

void Exchange::FinishConnecting() {
  int error = 0;
  socklen_t bytes = sizeof(error);
  getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &bytes);
  if (error != 0) return End(Failure::kConnect);
  pollfd ready = {.fd = fd_, .events = POLLOUT, .revents = 0};
  is_connected_ = poll(&ready, 1, 0) > 0 && (ready.revents & POLLOUT) != 0;
}

void Exchange::SendMore() {
  while (!is_sent()) {
    const ssize_t count = send(fd_, request_.data() + sent_, request_.size() - sent_, kSendFlags);
    // A server may answer and close before it has read everything: the answer counts.
    if (count < 0) return;
    sent_ += static_cast<size_t>(count);
  }
}

std::string Exchange::ReadMore() {
  std::string body;
  char buffer[64 << 10];
  while (true) {
    const ssize_t count = recv(fd_, buffer, sizeof(buffer), 0);
    if (count < 0 && IsTemporary(errno)) return body;
    if (count < 0) {
      const bool complete = response_.state() == ResponseReader::State::kDone;
      End(complete ? Failure::kNone : Failure::kReset);
      return body;
    }
    if (count == 0) {
      response_.FeedEnd();
      const bool complete = response_.state() == ResponseReader::State::kDone;
      End(complete ? Failure::kNone : Failure::kClosedEarly);
      return body;
    }
    body += response_.Feed({buffer, static_cast<size_t>(count)});
    if (response_.state() == ResponseReader::State::kBad) {
      End(Failure::kBadHttp);
      return body;
    }
    if (response_.state() == ResponseReader::State::kDone) {
      End(Failure::kNone);
      return body;
    }
  }
}

std::string Exchange::Proceed() {
  if (!is_ended_ && !is_connected_) FinishConnecting();
  if (!is_ended_ && is_connected_) SendMore();
  return !is_ended_ && is_connected_ ? ReadMore() : "";
}

}  // namespace infer::load
