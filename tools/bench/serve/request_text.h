// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/random.h"
#include "tools/bench/serve/server_url.h"

namespace infer::load {

enum class Api { kCompletions, kChat };

// What all requests to a server have in common.
struct RequestForm {
  Api api = Api::kCompletions;
  std::string model = {};
  std::string api_key = {};
  bool force_length = true;  // ask for exactly the given number of tokens, whatever the model says
  std::string extra = {};    // members of a JSON object that are added to the body
};

// Returns a complete HTTP message.
std::string HttpText(const ServerUrl& url, const RequestForm& form, std::string_view method,
                     std::string_view path, const std::string& body);

// Returns the request for a completion of a prompt.
std::string CompletionText(const ServerUrl& url, const RequestForm& form, const std::string& prompt,
                           int64_t output_tokens, bool stream);

// Returns bytes that a server must answer with an error or by closing the connection: JSON that
// ends early, wrong types and ranges, wrong paths and methods, messages that are not HTTP.
std::string MalformedText(const ServerUrl& url, const RequestForm& form, Random& random);
int NumMalformedKinds();

}  // namespace infer::load
