// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/tools/serve/http/raw_client.h"

namespace infer::serve {

// The program infer-serve with the bundled model on a free port, in a process of its own.
class ServerProcess {
 public:
  // Waits until it has printed its URL.
  explicit ServerProcess(const std::vector<std::string>& flags = {});
  // Kills it if it still runs.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  const std::string& url() const { return url_; }
  int port() const { return port_; }
  void Signal(int number) const;
  // Waits for its end. Returns its exit code, or -1 if it was killed by a signal.
  int Wait();

  // Sends one request on a connection of its own.
  http::RawAnswer Request(const std::string& method, const std::string& target,
                          const std::string& body = "", const std::string& headers = "") const;

 private:
  pid_t pid_ = -1;
  std::string url_;
  int port_ = 0;
};

}  // namespace infer::serve
