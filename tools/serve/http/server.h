// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/serve/http/http.h"
#include "tools/serve/http/server_options.h"

namespace infer::http {

// An HTTP/1.0 and 1.1 server on one TCP port or one unix socket. One thread, that of Run, does all
// input and output and calls the handler.
class Server {
 public:
  // Reads the keys and certificates, binds and listens: clients may connect from here on and are
  // answered once Run is called. `handler` must outlive the server.
  static absl::StatusOr<std::unique_ptr<Server>> Create(const ServerOptions& options,
                                                        Handler* handler);
  // Run must have returned. Responders may outlive the server.
  ~Server();

  // Serves until a drain has ended.
  absl::Status Run();

  // The following may be called from any thread, also before Run.

  // Stops accepting, closes idle connections and lets running answers finish. After `seconds` calls
  // Handler::OnDrainEnd, then waits ServerOptions::drain_grace_seconds for the ends that it sends.
  // A second call can only shorten the time.
  void Drain(double seconds);
  // Reads the keys file again. Keeps the old keys if there is an error in it.
  absl::Status ReloadKeys();
  // Reads the certificate and its key again, for connections that are accepted from now on. Keeps
  // the old ones if they cannot be used. Does nothing without TLS.
  absl::Status ReloadCertificate();
  ServerCounts counts() const;
  // The bound port; 0 for a unix socket.
  int port() const;

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace infer::http
