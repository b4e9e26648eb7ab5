// SPDX-License-Identifier: Apache-2.0
//
// From a model file to a Program, with the choices that every tool offers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/program/kernel_catalog.h"
#include "ir/program/program.h"
#include "passes/compile.h"
#include "tools/api/model_file.h"

namespace infer {

inline constexpr int64_t kDefaultContext = 4096;
inline constexpr int64_t kDefaultChunk = 512;

// auto where this machine has a level of simd, else scalar.
std::string DefaultPolicy();

struct CompileModelOptions {
  std::string policy = DefaultPolicy();  // name or file
  // Rules before the policy's: as ir/policy/place_rule.h and compat_rules.h read them, in this
  // order.
  std::vector<std::string> place = {};
  std::vector<std::string> tensor_overrides = {};
  int64_t gpu_layers = 0;
  // No target but the first of a rule; a rule that does nothing is an error.
  bool strict = false;
  // Told what should be known about the policy and this model. May be empty.
  std::function<void(const std::string&)> warn = {};
  std::vector<PolicyFinding>* findings = nullptr;  // if set: gets all of them, and warn none
  // kFloat overrules the policy, kAuto does not.
  Policy::Activations activations = Policy::Activations::kAuto;
  std::optional<DType> kv_type = {};  // the policy's, or else f16
  std::string machine = {};           // file of the description; empty: the generic one
  int64_t context = 0;                // 0: the default, or the model's own if that is shorter
  int64_t chunk = kDefaultChunk;      // most tokens in a call
  int64_t sequences = 1;              // that share the cache, each with a context of its own
  int64_t logit_rows = 1;             // most rows whose logits are wanted; at least one a sequence
  std::vector<std::string> extra_results = {};
  HashMode hash = HashMode::kSampled;
  std::vector<std::string> skip = {};  // passes to leave out
  PassObserver observer = {};
  double* compile_ms = nullptr;                        // see CompileOptions
  std::function<void(const Graph&)> on_imported = {};  // the lowered graph, before any pass
};

absl::StatusOr<Program> CompileModel(const ModelFile& model, const KernelCatalog& catalog,
                                     const CompileModelOptions& options);

}  // namespace infer
