// SPDX-License-Identifier: Apache-2.0
//
// Measures sequences that decode together: each call has one token and the logits of each.
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

struct BatchOptions {
  ModelFlags model;
  int64_t generated = 32;
  int64_t depth = 0;
  std::vector<std::string> sequence_texts = {"1,2,4,8,16"};

  std::vector<int64_t> sequences;  // filled in by CompleteBatch
};

void RegisterBatchFlags(Flags& flags, BatchOptions* options);
absl::Status CompleteBatch(BatchOptions* options);

// Implements `infer-bench batch`.
absl::Status BatchMain(const BatchOptions& options, BenchFormat format, int64_t repetitions,
                       ToolContext& context);

}  // namespace infer
