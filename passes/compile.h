// SPDX-License-Identifier: Apache-2.0
//
// Compiles a lowered graph to a Program.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "ir/policy/machine.h"
#include "ir/policy/policy.h"
#include "ir/program/kernel_catalog.h"
#include "ir/program/program.h"
#include "ir/program/weight_source.h"
#include "passes/check_policy.h"
#include "passes/pipeline.h"

namespace infer {

// Which bytes of the weights are hashed: none (a dry run, which reads no tensor data), a few pages,
// or all.
enum class HashMode { kNone, kSampled, kFull };

struct CompileOptions {
  Policy policy;  // overrides are its first rules; the Program lists them separately
  Fallback fallback = Fallback::kAllowed;
  // Called with what CheckPolicy finds; an error ends the compilation. May be empty.
  std::function<absl::Status(const PolicyFinding&)> on_finding = {};
  SymbolRanges symbols;
  int64_t sequences = 1;
  // How many of the largest logits of a row, with their tokens, calls give besides the whole row
  // where that is computed in another memory; see passes/select_candidates.cc. 0: none.
  int64_t candidates = 0;
  std::optional<MachineDescription> machine = {};  // estimates are zero without one
  HashMode hash = HashMode::kSampled;
  std::vector<std::string> skip = {};  // passes to omit
  PassObserver observer = {};
  // If set, receives the time of the compilation, without hashing and without the observer's time.
  double* compile_ms = nullptr;
};

// `graph` is at stage imported. The passes that run once see all of T; then the regimes are cut,
// and the other passes run on a copy for each. The Program's regimes are planned and verified.
absl::StatusOr<Program> CompileProgram(Graph graph, const WeightSource& weights,
                                       const KernelCatalog& catalog, const CompileOptions& options);

}  // namespace infer
