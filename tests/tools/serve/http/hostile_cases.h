// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace infer::http {

// Bytes that no well-behaved client sends.
struct HostileCase {
  std::string name = {};
  std::string bytes = {};
  std::vector<int> statuses = {400};  // the allowed ones; 0: closed without an answer
  // How the bytes are sent.
  enum class Manner {
    kAtOnce,
    kHalfClose,  // then the client says that it sends no more
    kReset,      // then the client vanishes; there is nothing to check but the server
    kTrickle,    // byte by byte, too slowly
    kStall,      // then nothing more comes
  } manner = Manner::kAtOnce;
};

// All but those for keys.
std::vector<HostileCase> HostileCases();
// The part of them that is about where a request ends.
std::vector<HostileCase> HostileFramingCases();

// For a server that asks for keys.
std::vector<HostileCase> HostileKeyCases();

}  // namespace infer::http
