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
  PassObserver observer;  // may be empty
};

// `graph` is at stage imported. The Program's regimes are planned and verified.
absl::StatusOr<Program> CompileProgram(Graph graph, const WeightSource& weights,
                                       const KernelCatalog& catalog, const CompileOptions& options);

}  // namespace infer
