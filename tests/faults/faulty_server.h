// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "tests/tools/cli/captured_run.h"

namespace infer {

struct Served {
  int code = -1;  // 128 + the signal if one killed it
  std::string err;
};

// An infer-serve in which one call of the C library fails: `fault` is "KIND:N" of the injector.
class FaultyServer {
 public:
  explicit FaultyServer(const std::string& fault);
  FaultyServer(const FaultyServer&) = delete;
  FaultyServer& operator=(const FaultyServer&) = delete;
  ~FaultyServer();

  // 0: it has ended before it served.
  int port() const { return port_; }
  // Whether the call has failed by now.
  bool has_failed() const;
  // Sends SIGTERM and waits for its end.
  Served End();

 private:
  [[noreturn]] void Exec(const std::string& fault, int out) const;

  TempDir dir_;
  pid_t pid_ = -1;
  int out_ = -1;
  int port_ = 0;
};

}  // namespace infer
