// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/bench/serve/load_run.h"
#include "tools/bench/serve/request_source.h"
#include "tools/cli/flags.h"

namespace infer::load {

// The command line of `infer-bench serve`.
struct ServeOptions {
  std::vector<std::string> urls;
  RequestForm form;
  std::string prompt_text = "128";
  std::string output_text = "128";
  int64_t prefix_tokens = 0;
  double prefix_share = 1;
  int64_t prefixes = 1;
  double cancel_share = 0;
  double bad_share = 0;
  int64_t intruder_tokens = 0;
  double intruder_every_s = 5;
  std::optional<int64_t> users;
  std::optional<double> rate;
  bool poisson = true;
  std::optional<int64_t> requests;
  double duration_s = 0;
  int64_t warmup = 1;
  int64_t rounds = 1;
  uint64_t seed = 1;
  double timeout_s = 600;
  std::string requests_file;
  bool strict = false;

  // Filled in by CompleteServe.
  std::optional<Mix> mix;
  Pace pace;
};

void RegisterServeFlags(Flags& flags, ServeOptions* options);
absl::Status CompleteServe(ServeOptions* options);

}  // namespace infer::load
