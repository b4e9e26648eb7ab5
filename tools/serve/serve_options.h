// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/serving/request_runner.h"
#include "tools/cli/flags.h"
#include "tools/flags/model_flags.h"
#include "tools/serve/http/server_options.h"

namespace infer::serve {

// The command line of infer-serve.
struct ServeOptions {
  ModelFlags model;
  std::vector<std::string> names;    // of the model, for clients
  std::string chat_template;         // file
  Pooling pooling = Pooling::kNone;  // none: as the file says
  int64_t cache_tokens = 0;          // positions of all requests and of the prefix cache; 0: all

  http::ServerOptions http;
  double drain_seconds = 30;
  double ping_seconds = 5;
  std::string access_log;  // file, "-": stderr, empty: none

  RunnerOptions runner;
};

void RegisterFlags(Flags& flags, ServeOptions* options);

// Returns usage errors for combinations that no single flag can refuse.
absl::Status CompleteOptions(const Flags& flags, ServeOptions* options);

// Returns whether clients of other machines can connect.
bool IsReachableFromOutside(const http::ServerOptions& options);

}  // namespace infer::serve
