// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/server_url.h"

#include <netdb.h>
#include <sys/un.h>

#include <cstring>
#include <memory>

#include "ir/base/control_chars.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/flag_text.h"

namespace infer::load {
namespace {

absl::Status BadUrl(const std::string& text, const std::string& why) {
  return UsageError(
      StrCat("--url '", text, "' ", why, "; expected http://HOST[:PORT] or unix:PATH"));
}

absl::StatusOr<ServerUrl> ParseUnix(const std::string& text) {
  const std::string path = text.substr(5);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return BadUrl(text, "has no path, or one that is too long for a socket");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  ServerUrl url = {.text = text, .host = "localhost", .prefix = ""};
  std::memcpy(&url.address, &address, sizeof(address));
  url.address_bytes = sizeof(address);
  return url;
}

absl::Status Resolve(const std::string& name, const std::string& port, ServerUrl* url) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(name.c_str(), port.c_str(), &hints, &found);
  if (error != 0) {
    return absl::UnavailableError(
        StrCat("cannot resolve '", name, "': ", gai_strerror(error), "; check --url"));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  std::memcpy(&url->address, found->ai_addr, found->ai_addrlen);
  url->address_bytes = found->ai_addrlen;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ServerUrl> ParseServerUrl(const std::string& text) {
  if (HasControl(text) || text.find(' ') != text.npos) {
    return BadUrl("...", "has a blank or a control character");
  }
  if (text.starts_with("unix:")) return ParseUnix(text);
  if (text.starts_with("https://")) {
    return BadUrl(text, "asks for TLS, which this client does not speak");
  }
  if (!text.starts_with("http://")) return BadUrl(text, "has another form");
  const std::string rest = text.substr(7);
  const size_t slash = rest.find('/');
  const std::string host = rest.substr(0, slash);
  std::string prefix = slash == rest.npos ? "" : rest.substr(slash);
  while (prefix.ends_with('/')) prefix.pop_back();
  if (prefix.ends_with("/v1")) prefix.resize(prefix.size() - 3);
  // An IPv6 address has brackets: [::1]:8080.
  const size_t bracket = host.find(']');
  const size_t colon = host.find(':', bracket == host.npos ? 0 : bracket);
  std::string name = host.substr(0, colon);
  const std::string port = colon == host.npos ? "80" : host.substr(colon + 1);
  if (name.size() > 2 && name.front() == '[' && name.back() == ']') {
    name = name.substr(1, name.size() - 2);
  }
  const absl::StatusOr<uint16_t> number = ParseInt<uint16_t>(port);
  if (name.empty() || !number.ok() || *number == 0) return BadUrl(text, "has no host or port");
  ServerUrl url = {.text = text, .host = host, .prefix = prefix};
  RETURN_IF_ERROR(Resolve(name, port, &url));
  return url;
}

}  // namespace infer::load
