// SPDX-License-Identifier: Apache-2.0
//
// Compares estimates of calls, and of their nodes, with measured times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/cli/flags.h"
#include "tools/cli/tool.h"
#include "tools/flags/model_flags.h"

namespace infer {

struct EstimateOptions {
  ModelFlags model;
  std::vector<std::string> token_texts = {"1,2,8,512"};
  int64_t depth = 0;
  int64_t sequences = 1;
  bool measure = true;
  bool nodes = false;
  std::string svg;
  std::string profile;

  std::vector<int64_t> tokens;  // filled in by CompleteEstimate
};

void RegisterEstimateFlags(Flags& flags, EstimateOptions* options);
absl::Status CompleteEstimate(EstimateOptions* options);

// Implements `infer-bench estimate`.
absl::Status EstimateMain(const EstimateOptions& options, int64_t repetitions,
                          ToolContext& context);

}  // namespace infer
