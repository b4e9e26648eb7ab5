// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/listener.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <optional>
#include <utility>

namespace infer::http {
namespace {

// Connections accepted before other work gets its turn.
constexpr int kAcceptsAtOnce = 64;
// How long to wait for others to give back what accept needs (file descriptors, memory).
constexpr double kBackOffSeconds = 0.1;

bool IsPassing(int error) {
  return error == ECONNABORTED || error == EINTR || error == EPROTO || error == EPERM;
}

}  // namespace

struct Listener::State : std::enable_shared_from_this<State> {
  State(IoLoop* io_loop, ListenSocket listening, OnAccept callback, std::atomic<uint64_t>* count)
      : loop(io_loop),
        address_family(listening.address_family()),
        socket(std::move(listening)),
        descriptor(io_loop->context(), socket->fd()),
        on_accept(std::move(callback)),
        failures(count) {
    fcntl(socket->fd(), F_SETFL, fcntl(socket->fd(), F_GETFL) | O_NONBLOCK);
  }

  void Close() {
    descriptor.release();  // `socket` closes it
    socket.reset();
    on_accept = nullptr;
  }

  void Wait() {
    if (!socket.has_value()) return;
    descriptor.async_wait(boost::asio::posix::descriptor_base::wait_read,
                          [self = shared_from_this()](const boost::system::error_code& error) {
                            if (!error) self->Accept();
                          });
  }

  void Accept() {
    for (int i = 0; i < kAcceptsAtOnce; ++i) {
      const int fd = accept(socket->fd(), nullptr, nullptr);
      if (fd >= 0) {
        on_accept(fd);
        continue;
      }
      if (errno == EAGAIN || errno == EWOULDBLOCK) break;
      if (IsPassing(errno)) continue;
      // The socket stays readable: waiting for it again at once would spin.
      ++*failures;
      loop->RunAfter(kBackOffSeconds, [self = shared_from_this()] { self->Wait(); });
      return;
    }
    Wait();
  }

  IoLoop* loop;
  int address_family;
  std::optional<ListenSocket> socket;
  boost::asio::posix::stream_descriptor descriptor;
  OnAccept on_accept;
  std::atomic<uint64_t>* failures;
};

Listener::Listener(IoLoop* loop, ListenSocket socket, OnAccept on_accept,
                   std::atomic<uint64_t>* failures)
    : state_(std::make_shared<State>(loop, std::move(socket), std::move(on_accept), failures)) {}

Listener::~Listener() { state_->Close(); }

void Listener::Start() { state_->Wait(); }
int Listener::address_family() const { return state_->address_family; }

}  // namespace infer::http
