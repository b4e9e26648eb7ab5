// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <string>

#include "absl/status/statusor.h"

namespace infer::load {

// A server's address, resolved.
struct ServerUrl {
  std::string text;    // as given
  std::string host;    // for the Host header, with the port
  std::string prefix;  // path before /v1/..., without the last slash; usually empty
  sockaddr_storage address = {};
  socklen_t address_bytes = 0;
};

// Parses `http://host[:port][/prefix]` or `unix:/path` and resolves the host. Returns a usage error
// for other texts, kUnavailable for a host that is not known. A trailing /v1 of the prefix is
// dropped, since clients' base URLs often have it.
absl::StatusOr<ServerUrl> ParseServerUrl(const std::string& text);

}  // namespace infer::load
