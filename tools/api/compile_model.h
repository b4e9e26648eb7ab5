// SPDX-License-Identifier: Apache-2.0
//
// Compiles a model file to a Program, with the choices that every tool offers.
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
// Enough for a usual top-k, or for a smaller one among what a grammar allows.
inline constexpr int64_t kSamplerCandidates = 64;

// Returns auto if this machine has a simd level, else scalar.
std::string DefaultPolicy();

// How a model is divided over ranks, where that differs from the policy's.
struct ShardRequest {
  int64_t ranks = 0;  // 0: the policy's
  std::optional<ShardPolicy::Mode> mode = {};
};
void ApplyShard(const ShardRequest& request, Policy* policy);

struct CompileModelOptions {
  std::string policy = DefaultPolicy();  // name or file
  // Rules that come before the policy's, in this order; see ir/policy/place_rule.h and
  // compat_rules.h for their syntax.
  std::vector<std::string> place = {};
  std::vector<std::string> tensor_overrides = {};
  int64_t gpu_layers = 0;
  bool cpu_moe = false;        // keeps the experts of all layers on the CPU
  int64_t cpu_moe_layers = 0;  // those of the first layers
  // Allows no target but the first of each rule, and makes a rule without effect an error.
  bool strict = false;
  // Receives warnings about the policy and this model. May be empty.
  std::function<void(const std::string&)> warn = {};
  std::vector<PolicyFinding>* findings = nullptr;  // if set, receives all findings, and warn
                                                   // receives none
  // kFloat overrides the policy, kAuto does not.
  Policy::Activations activations = Policy::Activations::kAuto;
  std::optional<bool> invariant = {};  // default: the policy's
  ShardRequest shard = {};
  std::optional<DType> kv_type = {};  // default: the policy's, else f16
  std::string machine = {};       // file of the machine description; empty means the generic one
  int64_t context = 0;            // 0 means the default, or the model's own if that is shorter
  int64_t chunk = kDefaultChunk;  // largest number of tokens in a call
  int64_t sequences = 1;          // sequences that share the cache, each with its own context
  int64_t logit_rows = 1;         // largest number of rows whose logits are requested; at least
                                  // one per sequence
  int64_t candidates = 0;         // see passes/compile.h; kSamplerCandidates for a program that
                                  // samples
  std::vector<std::string> extra_results = {};
  bool vectors = false;  // results are the normed vectors of tokens instead of logits
  // Weights that are read from the mapped file instead of being packed. Experts are left there too,
  // with a warning, if packed they would not fit into memory.
  bool no_pack_experts = false;
  HashMode hash = HashMode::kSampled;
  std::vector<std::string> skip = {};  // passes to leave out
  PassObserver observer = {};
  double* compile_ms = nullptr;                        // see CompileOptions
  std::function<void(const Graph&)> on_imported = {};  // lowered graph, before passes
};

absl::StatusOr<Program> CompileModel(const ModelFile& model, const KernelCatalog& catalog,
                                     const CompileModelOptions& options);

}  // namespace infer
