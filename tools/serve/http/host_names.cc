// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/host_names.h"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>

namespace infer::http {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || IsDigit(c) || c == '-' || c == '.' || c == '_';
}
bool IsAddressByte(char c) { return (c >= 'a' && c <= 'f') || IsDigit(c) || c == ':' || c == '.'; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

// Returns the number form of an IP address, so that its spellings compare equal; empty for a name.
std::string AddressBytes(const std::string& name) {
  char bytes[16];
  if (inet_pton(AF_INET, name.c_str(), bytes) == 1) return std::string(bytes, 4);
  if (inet_pton(AF_INET6, name.c_str(), bytes) == 1) return std::string(bytes, 16);
  return {};
}

bool IsLoopback(const std::string& name) {
  const std::string bytes = AddressBytes(name);
  return name == "localhost" || (bytes.size() == 4 && bytes[0] == 127) ||
         bytes == AddressBytes("::1");
}

}  // namespace

std::string NameInHost(std::string_view host) {
  std::string text = Lower(host);
  std::string name, rest;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == text.npos) return {};
    name = text.substr(1, end - 1);
    rest = text.substr(end + 1);
    if (!std::ranges::all_of(name, IsAddressByte)) return {};
  } else {
    const size_t colon = text.find(':');
    name = text.substr(0, colon);
    if (colon != text.npos) rest = text.substr(colon);
    if (!std::ranges::all_of(name, IsNameByte)) return {};
  }
  const bool port_is_valid =
      rest.empty() || (rest.size() >= 2 && rest.size() <= 6 && rest[0] == ':' &&
                       std::all_of(rest.begin() + 1, rest.end(), IsDigit));
  if (!port_is_valid || name.empty() || name.size() > 253) return {};
  if (name.ends_with('.')) name.pop_back();  // "localhost." is the same name
  return name;
}

HostNames::HostNames(const std::string& bound_host, const std::vector<std::string>& allowed) {
  for (const std::string& name : allowed) {
    if (name == "*") allows_all_ = true;
    names_.insert(NameInHost(name));
  }
  const std::string bound = Lower(bound_host);
  names_.insert(bound);
  names_.insert(AddressBytes(bound));
  if (IsLoopback(bound)) {
    names_.insert({"localhost", AddressBytes("127.0.0.1"), AddressBytes("::1")});
  }
  if (bound == "0.0.0.0" || bound == "::" || bound.empty()) {
    allows_addresses_ = true;
    char machine[256] = {};
    if (gethostname(machine, sizeof(machine) - 1) == 0) names_.insert(Lower(machine));
    names_.insert("localhost");
  }
  names_.erase("");
}

HostNames HostNames::Any() {
  HostNames names;
  names.allows_all_ = true;
  return names;
}

bool HostNames::Allows(std::string_view host) const {
  const std::string name = NameInHost(host);
  if (name.empty()) return false;
  if (allows_all_ || names_.contains(name)) return true;
  const std::string address = AddressBytes(name);
  return !address.empty() && (allows_addresses_ || names_.contains(address));
}

}  // namespace infer::http
