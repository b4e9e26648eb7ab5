// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace infer::http {

// The names under which clients may address the server. A page of a foreign site whose name was
// made to point at this machine (DNS rebinding) sends that site's name in Host, which is refused.
class HostNames {
 public:
  // `bound_host` as in ServerOptions; `allowed` in addition, "*" for all names.
  HostNames(const std::string& bound_host, const std::vector<std::string>& allowed);
  // Allows every name, for sockets that no browser can reach.
  static HostNames Any();

  // `host` is the value of a Host header, with or without a port.
  bool Allows(std::string_view host) const;

 private:
  HostNames() = default;

  bool allows_all_ = false;
  bool allows_addresses_ = false;  // any IP address: no name is involved, so none can be rebound
  std::set<std::string> names_ = {};
};

// Returns the name in `host` in lower case, without brackets and port; empty if it is malformed.
std::string NameInHost(std::string_view host);

}  // namespace infer::http
