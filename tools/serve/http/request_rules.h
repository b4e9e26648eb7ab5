// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tools/serve/http/api_keys.h"
#include "tools/serve/http/host_names.h"
#include "tools/serve/http/http.h"
#include "tools/serve/http/problem.h"
#include "tools/serve/http/request_parser.h"
#include "tools/serve/http/server_options.h"

namespace infer::http {

// What the answer to a request depends on beside the handler's Response.
struct AnswerContext {
  std::string id = {};
  int version = 11;
  bool keep_alive = false;
  bool head_only = false;           // HEAD: no body is sent
  std::string allowed_origin = {};  // for Access-Control-Allow-Origin; empty: not sent
};

// What the head of a request alone decides, before its body is read.
struct HeadVerdict {
  Request request = {};  // all but the body
  AnswerContext context = {};
  bool wants_continue = false;            // Expect: 100-continue
  std::optional<Problem> problem = {};    // the request is refused
  std::optional<Response> response = {};  // answered without the handler: a CORS preflight
};

// Checks the heads of requests: Host, target, Origin, API key, content type, Expect.
class RequestRules {
 public:
  // The objects must outlive the rules.
  RequestRules(const ServerOptions& options, const Handler* handler, const KeyStore* keys);

  HeadVerdict Judge(Head head, const std::string& peer) const;

 private:
  std::optional<Problem> CheckHost(const Head& head) const;
  std::optional<Problem> CheckKey(const Head& head, Request* request) const;
  // The entry of allowed_origins that allows the request's Origin; empty if there is none.
  std::string AllowedOrigin(const Head& head) const;
  std::optional<Response> AnswerPreflight(const HeadVerdict& verdict, const Head& head) const;

  const ServerOptions& options_;
  const Handler* handler_;
  const KeyStore* keys_;
  const HostNames hosts_;
};

}  // namespace infer::http
