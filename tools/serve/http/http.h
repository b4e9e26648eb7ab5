// SPDX-License-Identifier: Apache-2.0
//
// HTTP as the rest of the server sees it. Only the .cc files of this folder know the library behind
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace infer::http {

// A complete request that has passed the limits, the check of Host and that of the API key.
struct Request {
  std::string method = {};                                        // "GET", "POST", ...
  std::string path = {};                                          // decoded, without the query
  std::string query = {};                                         // as sent, after '?'
  std::vector<std::pair<std::string, std::string>> headers = {};  // names in lower case
  std::string body = {};
  std::string id = {};        // of this request; sent back as x-request-id
  std::string peer = {};      // address of the client, "unix" for a unix socket
  std::string key_name = {};  // name of the API key; empty if the server asks for none

  // Returns the value of a header, by its name in lower case; empty if there is none.
  std::string_view header(std::string_view name) const;
};

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  Headers headers = {};
};

// The answer to one request. May be used from any thread, and after the client has gone: then
// everything is ignored. Exactly one of Send and StartStream is called, once. Dropping the last
// reference without an answer sends a 500.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual void Send(Response response) = 0;
  // Begins an answer of unknown length; `headers` in addition to those of an event stream.
  virtual void StartStream(const std::string& content_type, const Headers& headers) = 0;
  // Appends to the stream. Pieces written before the connection can take more are sent together.
  virtual void Write(std::string piece) = 0;
  // Ends the stream properly.
  virtual void End() = 0;
  // Called on the I/O thread, at most once, when the client has gone before the end; also if that
  // was before this call.
  virtual void OnClosed(std::function<void()> closed) = 0;
  // Called with true when more than the limit of unsent bytes waits, with false when it has
  // drained.
  virtual void OnBacklog(std::function<void(bool is_full)> backlog) = 0;
  virtual size_t unsent_bytes() const = 0;
};

// Handles requests. Called on the I/O thread: must not work for long.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void Handle(Request request, std::shared_ptr<Responder> responder) = 0;
  // Makes the body of an error that the HTTP layer itself answers with (limits, keys, routes).
  virtual Response Error(int status, std::string_view message) = 0;
  // Whether a path may be asked for without an API key.
  virtual bool IsPublic(std::string_view method, std::string_view path) const = 0;
  // Called on the I/O thread when the time of Server::Drain is over: end the streams that still
  // run, connections are closed soon after.
  virtual void OnDrainEnd() {}
};

}  // namespace infer::http
