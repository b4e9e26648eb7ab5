// SPDX-License-Identifier: Apache-2.0
//
// Measures what drafts gain on a text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/bench/bench_format.h"
#include "tools/cli/flags.h"
#include "tools/cli/tool.h"
#include "tools/flags/model_flags.h"

namespace infer {

struct SpecOptions {
  ModelFlags model;
  std::string text;  // file
  std::string draft_model;
  int64_t prompt = 256;
  int64_t generated = 256;
  std::vector<std::string> sequence_texts = {"1"};

  std::vector<int64_t> sequences;  // filled in by CompleteSpec
};

void RegisterSpecFlags(Flags& flags, SpecOptions* options);
absl::Status CompleteSpec(SpecOptions* options);

// Implements `infer-bench spec`.
absl::Status SpecMain(const SpecOptions& options, BenchFormat format, int64_t repetitions,
                      ToolContext& context);

}  // namespace infer
