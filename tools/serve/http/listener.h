// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "tools/serve/http/io_loop.h"
#include "tools/serve/http/listen_socket.h"

namespace infer::http {

// Accepts connections on the I/O thread.
class Listener {
 public:
  // Owns the connected socket from then on.
  using OnAccept = std::function<void(int fd)>;

  // `failures` counts failed accepts. Both objects must outlive the listener.
  Listener(IoLoop* loop, ListenSocket socket, OnAccept on_accept, std::atomic<uint64_t>* failures);
  // Accepts no more.
  ~Listener();

  void Start();
  int address_family() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace infer::http
