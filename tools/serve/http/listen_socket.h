// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace infer::http {

// A bound socket that listens. Closes it at the end, and removes the file of a unix socket.
class ListenSocket {
 public:
  // `port` 0: a free one.
  static absl::StatusOr<ListenSocket> OpenTcp(const std::string& host, int port);
  // Only this user may connect. Replaces the file of a server that no longer runs.
  static absl::StatusOr<ListenSocket> OpenUnix(const std::string& path);

  ListenSocket(ListenSocket&& other) noexcept;
  ListenSocket& operator=(ListenSocket&&) = delete;
  ~ListenSocket();

  int fd() const { return fd_; }
  int address_family() const { return address_family_; }
  int port() const { return port_; }

 private:
  ListenSocket(int fd, int address_family) : fd_(fd), address_family_(address_family) {}

  int fd_;
  int address_family_;
  int port_ = 0;
  std::string unlink_path_ = {};
  unsigned long long device_ = 0, inode_ = 0;  // of the file at unlink_path_ that is ours
};

// Who is at the other end of a connection.
struct Peer {
  std::string text = {};   // the address, or "unix"
  std::string group = {};  // what connections are counted by; empty: not counted
};
Peer PeerOf(int fd);

// Sends small pieces at once, and notices clients that vanish without closing.
void SetConnectionOptions(int fd, double timeout_seconds);

// Raises the limit of open files of this process for `connections`, as far as it is allowed to.
void RaiseFileLimit(int connections);

}  // namespace infer::http
