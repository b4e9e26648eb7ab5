// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/request_rules.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/base/strings.h"
#include "tools/serve/http/request_id.h"
#include "tools/serve/http/target.h"

namespace infer::http {
namespace {

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(ToAbsl(a), ToAbsl(b));
}

// Fields whose second occurrence could be read instead of the first.
std::optional<Problem> CheckSingleFields(const Head& head) {
  for (std::string_view name : {"host", "authorization", "x-api-key", "content-type", "expect",
                                "origin", "content-encoding"}) {
    if (head.Count(name) > 1) return Problem{.message = StrCat("more than one ", name, " header")};
  }
  return {};
}

// Only JSON: a page of another site can send a POST of any other type without being asked.
std::optional<Problem> CheckContentType(const Head& head) {
  const std::string_view encoding = head.Value("content-encoding");
  if (!encoding.empty() && !EqualsIgnoringCase(encoding, "identity")) {
    return Problem{.status = 415, .message = "compressed request bodies are not supported"};
  }
  if (head.method != "POST" && head.method != "PUT" && head.method != "PATCH") return {};
  const std::string type(head.Value("content-type"));
  const std::vector<std::string> parts = absl::StrSplit(type, ';');
  bool is_json = absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(parts[0]), "application/json");
  for (size_t i = 1; i < parts.size(); ++i) {
    const absl::string_view part = absl::StripAsciiWhitespace(parts[i]);
    if (!absl::StartsWithIgnoreCase(part, "charset=")) continue;
    const absl::string_view charset = part.substr(8);
    is_json = is_json && (absl::EqualsIgnoreCase(charset, "utf-8") ||
                          absl::EqualsIgnoreCase(charset, "\"utf-8\""));
  }
  if (is_json) return {};
  return Problem{.status = 415, .message = "send the body with 'Content-Type: application/json'"};
}

std::optional<Problem> CheckExpect(const Head& head, bool* wants_continue) {
  const std::string_view expect = head.Value("expect");
  if (expect.empty() || head.version == 10) return {};
  if (!EqualsIgnoringCase(expect, "100-continue")) {
    return Problem{.status = 417, .message = "the only supported Expect is '100-continue'"};
  }
  *wants_continue = head.has_body;
  return {};
}

HostNames HostNamesOf(const ServerOptions& options) {
  if (!options.unix_socket.empty()) return HostNames::Any();
  return HostNames(options.host, options.allowed_hosts);
}

}  // namespace

RequestRules::RequestRules(const ServerOptions& options, const Handler* handler,
                           const KeyStore* keys)
    : options_(options), handler_(handler), keys_(keys), hosts_(HostNamesOf(options)) {}

std::optional<Problem> RequestRules::CheckHost(const Head& head) const {
  if (head.Count("host") == 0) {
    // Browsers, which rebinding needs, always send it.
    if (head.version == 10) return {};
    return Problem{.message = "HTTP/1.1 needs a Host header"};
  }
  const std::string_view host = head.Value("host");
  if (NameInHost(host).empty() && options_.unix_socket.empty()) {
    return Problem{.message = "the Host header is not a host name"};
  }
  if (hosts_.Allows(host) || !options_.unix_socket.empty()) return {};
  return Problem{.status = 403,
                 .message =
                     "this server is not known by the name in the Host header; to allow it, "
                     "start the server with --allow-host NAME"};
}

std::optional<Problem> RequestRules::CheckKey(const Head& head, Request* request) const {
  if (!keys_->is_used() || handler_->IsPublic(request->method, request->path)) return {};
  std::optional<std::string> name;
  const std::string authorization(head.Value("authorization"));
  if (absl::StartsWithIgnoreCase(authorization, "bearer ")) {
    name =
        keys_->Find(ToStd(absl::StripAsciiWhitespace(absl::string_view(authorization).substr(7))));
  }
  const std::string_view api_key = head.Value("x-api-key");
  if (!name.has_value() && !api_key.empty()) name = keys_->Find(api_key);
  if (!name.has_value()) {
    const bool is_missing = authorization.empty() && api_key.empty();
    return Problem{.status = 401,
                   .message = is_missing
                                  ? "this server needs an API key: send 'Authorization: Bearer KEY'"
                                  : "the API key is not valid"};
  }
  request->key_name = *name;
  return {};
}

std::string RequestRules::AllowedOrigin(const Head& head) const {
  const std::string_view origin = head.Value("origin");
  if (origin.empty()) return {};
  for (const std::string& allowed : options_.allowed_origins) {
    if (allowed == "*" || allowed == origin) return allowed;
  }
  return {};
}

std::optional<Response> RequestRules::AnswerPreflight(const HeadVerdict& verdict,
                                                      const Head& head) const {
  if (head.method != "OPTIONS" || head.Count("origin") == 0 ||
      head.Count("access-control-request-method") == 0 || verdict.context.allowed_origin.empty()) {
    return {};
  }
  Response response = {.status = 204, .content_type = ""};
  // "*" covers all names but Authorization.
  response.headers = {{"Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS"},
                      {"Access-Control-Allow-Headers", "authorization, *"},
                      {"Access-Control-Max-Age", "600"}};
  if (head.Count("access-control-request-private-network") > 0) {
    response.headers.emplace_back("Access-Control-Allow-Private-Network", "true");
  }
  return response;
}

HeadVerdict RequestRules::Judge(Head head, const std::string& peer) const {
  HeadVerdict verdict;
  Request& request = verdict.request;
  verdict.context = {.id = RequestId(head.Value("x-request-id")),
                     .version = head.version,
                     .keep_alive = head.keep_alive,
                     .head_only = head.method == "HEAD",
                     .allowed_origin = AllowedOrigin(head)};
  request.id = verdict.context.id;
  request.peer = peer;
  request.method = head.method == "HEAD" ? "GET" : head.method;
  verdict.problem = CheckSingleFields(head);
  if (!verdict.problem) verdict.problem = CheckHost(head);
  if (!verdict.problem) verdict.problem = SplitTarget(head.target, &request.path, &request.query);
  if (verdict.problem) return verdict;
  verdict.response = AnswerPreflight(verdict, head);
  if (verdict.response) return verdict;
  if (head.method == "OPTIONS" && head.Count("access-control-request-method") > 0) {
    verdict.problem = Problem{.status = 403,
                              .message =
                                  "pages of other sites may not use this server; to allow "
                                  "one, start it with --allowed-origin ORIGIN"};
    return verdict;
  }
  verdict.problem = CheckKey(head, &request);
  if (!verdict.problem) verdict.problem = CheckContentType(head);
  if (!verdict.problem) verdict.problem = CheckExpect(head, &verdict.wants_continue);
  request.headers = std::move(head.headers);
  return verdict;
}

}  // namespace infer::http
