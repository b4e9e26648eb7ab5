// SPDX-License-Identifier: Apache-2.0
//
// From a lowered graph to a Program.
#pragma once

#include "absl/status/statusor.h"
#include "ir/kernel_catalog.h"
#include "ir/policy.h"
#include "ir/program.h"
#include "ir/weight_source.h"
#include "passes/pipeline.h"

namespace infer {

// What is remembered of the weights: nothing (a dry run, which reads no tensor data), a few pages,
// all.
enum class HashMode { kNone, kSampled, kFull };

struct CompileOptions {
  Policy policy;
  SymbolRanges symbols;
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
