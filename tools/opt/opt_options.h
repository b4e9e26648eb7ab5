// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "passes/pass.h"
#include "tools/api/compile_model.h"
#include "tools/cli/flags.h"
#include "tools/passes/pass_flags.h"

namespace infer {

// The command line of infer-opt.
struct OptOptions {
  std::string input = "-";
  std::string output = "-";
  std::vector<std::string> passes;  // in this order, or "all"
  bool list_passes = false;
  std::string policy = DefaultPolicy();
  int64_t tokens = kDefaultChunk;
  int64_t logit_rows = 1;
  int64_t context = kDefaultContext;
  ShardRequest shard;
  std::vector<std::string> skip;
  PassFlags pass_flags;

  SymbolRanges symbols() const;
};

void RegisterFlags(Flags& flags, OptOptions* options);

// Returns usage errors for unknown passes and contradictory combinations.
absl::Status CompleteOptions(const Flags& flags, OptOptions* options);

// Returns the passes to run on a graph at stage `from`: those named, or for "all" the default
// pipeline from there on, without those to skip.
std::vector<std::unique_ptr<Pass>> PassesToRun(const OptOptions& options, Stage from);

// Returns what --list-passes prints.
std::string PassTable();

}  // namespace infer
