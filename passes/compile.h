// SPDX-License-Identifier: Apache-2.0
//
// From a lowered graph to a Program.
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

// What is remembered of the weights: nothing (a dry run, which reads no tensor data), a few pages,
// all.
enum class HashMode { kNone, kSampled, kFull };

struct CompileOptions {
  Policy policy;  // overrides are its first rules; the Program names them apart
  Fallback fallback = Fallback::kAllowed;
  // Told what CheckPolicy finds; an error ends the compilation. May be empty.
  std::function<absl::Status(const PolicyFinding&)> on_finding = {};
  SymbolRanges symbols;
  std::optional<MachineDescription> machine = {};  // estimates are zero without one
  HashMode hash = HashMode::kSampled;
  std::vector<std::string> skip = {};  // passes to leave out
  PassObserver observer = {};
  // If set: the time that compiling took, without hashing and without the observer's own.
  double* compile_ms = nullptr;
};

// `graph` is at stage imported. The passes that run once see all of T; then the regimes are cut,
// and the others run on a copy for each. The Program's regimes are planned and verified.
absl::StatusOr<Program> CompileProgram(Graph graph, const WeightSource& weights,
                                       const KernelCatalog& catalog, const CompileOptions& options);

}  // namespace infer
