// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace infer::http {

// A finished request, for the access log.
struct AccessRecord {
  std::string id = {};
  std::string method = {};  // empty if the request could not be read
  std::string path = {};    // decoded; empty if the request could not be read
  int status = 0;           // 499: the client had gone before there was an answer
  uint64_t bytes = 0;       // sent, with headers
  double ms = 0;            // from the first byte of the request to the last of the answer
  std::string key_name = {};
  std::string peer = {};
  bool is_complete = true;  // false: the client did not receive the whole answer
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 8080;                   // 0: a free one
  std::string unix_socket = {};      // path; replaces host and port
  std::string tls_certificate = {};  // PEM files; both or neither
  std::string tls_key = {};
  // Names in Host in addition to those that the server is bound to; "*" allows all.
  std::vector<std::string> allowed_hosts = {};
  // Values of Origin that pages of other sites may have; "*" allows all.
  std::vector<std::string> allowed_origins = {};
  std::string keys_file = {};  // lines "NAME KEY"; empty: no key is asked for

  size_t max_header_bytes = 16 << 10;
  double header_seconds = 10;  // from connecting or the first byte to the end of the headers
  size_t max_body_bytes = 8 << 20;
  double body_seconds = 30;               // for a body, plus a second for ...
  size_t min_body_rate = 16 << 10;        // ... this many bytes received
  size_t max_bodies_bytes = 256 << 20;    // of all bodies that are being received
  double idle_seconds = 60;               // between requests on a connection
  int max_connections = 4096;             // more are answered with 503
  int max_connections_per_address = 256;  // IPv6: per /64 network
  size_t max_unsent_bytes = 256 << 10;    // of a stream; see Responder::OnBacklog
  double unsent_seconds = 60;             // a client that reads no more for this long is dropped
  double drain_grace_seconds = 2;

  std::function<void(const AccessRecord&)> on_access = {};  // called on the I/O thread
};

struct ServerCounts {
  uint64_t open_connections = 0;
  uint64_t accepted_connections = 0;
  uint64_t refused_connections = 0;  // above a limit of connections
  uint64_t accept_failures = 0;      // e.g. no file descriptors left
  uint64_t requests = 0;             // handed to the handler
  uint64_t refused_requests = 0;     // answered with an error before they reached the handler
  uint64_t unauthorized_requests = 0;
  uint64_t read_timeouts = 0;   // TLS handshake, headers or body took too long
  uint64_t write_timeouts = 0;  // the client did not read its answer
  uint64_t lost_clients = 0;    // closed before their answer was complete
};

}  // namespace infer::http
