// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/cli/flags.h"
#include "tools/flags/model_flags.h"
#include "tools/passes/pass_flags.h"

namespace infer {

enum class GraphForm { kPb, kPbtxt, kJson, kText };

// The command line of infer-compile.
struct CompileToolOptions {
  ModelFlags model;
  PassFlags passes;
  std::string output;  // empty if no graph is written
  std::optional<GraphForm> emit;
  std::string stage;  // empty means the program
  bool dry_run = false;
  // What stdout gets instead of the summary.
  std::string explain;  // nodes to explain; empty if none
  bool support = false;
  bool diff = false;
  std::string format = "text";        // or "json"
  std::vector<std::string> programs;  // operands of --diff
  std::vector<std::string> fail_on;   // "placement", "graph", "memory"
};

void RegisterFlags(Flags& flags, CompileToolOptions* options);

// Returns usage errors for contradictory combinations and fills in what follows from the rest: the
// form of the graph, stdout for a graph requested without -o, no hashes in a dry run.
absl::Status CompleteOptions(const Flags& flags, CompileToolOptions* options);

}  // namespace infer
