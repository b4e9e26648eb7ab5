// SPDX-License-Identifier: Apache-2.0
#include "tools/model/compile_model.h"

#include <algorithm>
#include <set>
#include <utility>

#include "backends/simd/level.h"
#include "frontends/qwen3/config.h"
#include "frontends/qwen3/lower.h"
#include "ir/compat_rules.h"
#include "ir/place_rule.h"
#include "ir/status_macros.h"
#include "ir/strings.h"
#include "passes/machines.h"
#include "passes/policies.h"
#include "passes/registry.h"
#include "tools/cli/exit_code.h"
#include "tools/model/limited_catalog.h"

namespace infer {
namespace {

constexpr std::string_view kAutoPolicy = "auto";

absl::StatusOr<int64_t> ContextFor(const CompileModelOptions& options, const Qwen3Config& config) {
  if (options.context < 0) {
    return UsageError(StrCat("a context of ", options.context, " tokens is negative"));
  }
  if (options.context == 0) return std::min(kDefaultContext, config.context);
  if (options.context > config.context) {
    return UsageError(StrCat("a context of ", options.context, " tokens: ", config.name,
                             " was trained for ", config.context,
                             " positions; ask for at most that many"));
  }
  return options.context;
}

absl::StatusOr<DType> KvTypeFor(const CompileModelOptions& options, const Policy& policy) {
  if (!policy.kv_type) return options.kv_type.value_or(DType::kF16);
  if (options.kv_type && *options.kv_type != *policy.kv_type) {
    return UsageError(StrCat("--kv-type ", Name(*options.kv_type), ": policy ", policy.name,
                             " runs with a cache of ", Name(*policy.kv_type)));
  }
  return *policy.kv_type;
}

// All rules of the command line, in front of the policy's.
absl::Status AddOverrides(const CompileModelOptions& options, int64_t layers, Policy* policy) {
  std::vector<Rule> overrides;
  for (const std::string& text : options.place) {
    absl::StatusOr<Rule> rule = ParsePlaceRule(text);
    if (!rule.ok()) return UsageError(ToStd(rule.status().message()));
    overrides.push_back(*std::move(rule));
  }
  for (const std::string& text : options.tensor_overrides) {
    absl::StatusOr<std::vector<Rule>> rules = ParseTensorOverrides(text);
    if (!rules.ok()) return UsageError(ToStd(rules.status().message()));
    overrides.insert(overrides.end(), rules->begin(), rules->end());
  }
  for (Rule& rule : LastLayersOnGpu(options.gpu_layers, layers)) {
    overrides.push_back(std::move(rule));
  }
  std::set<std::string_view> names;
  for (const Rule& rule : overrides) {
    if (!names.insert(rule.name).second) return UsageError(StrCat(rule.name, " is given twice"));
  }
  policy->rules.insert(policy->rules.begin(), overrides.begin(), overrides.end());
  return absl::OkStatus();
}

// What a device has to hold whatever is placed there: the file's weights, and keys and values of
// all positions. Activations come on top, a fiftieth of it at most.
uint64_t BytesToHold(const ModelFile& model, const Graph& graph, int64_t context) {
  uint64_t bytes = 0;
  for (const WeightInfo& weight : model.weights().weights()) bytes += weight.bytes;
  for (const Node* node : graph.nodes()) {
    if (!node->op().traits.state) continue;
    const ValueType& kv = node->result().type;
    const int64_t elements = 2 * context * kv.dim(0).value() * kv.dim(1).value();
    bytes += BytesFor(kv.tensor.dtype, elements).value_or(0);
  }
  return bytes;
}

// The policy `auto` takes a GPU where there is one, from the rows on that its class of device is
// said to be worth it. No rule of the file: without a GPU it would cut regimes for nothing.
void AddGpuRule(const KernelCatalog& catalog, Policy* policy) {
  const int64_t rows = catalog.AutomaticRows(Target::kMetal);
  if (policy->name != kAutoPolicy || rows == 0) return;
  Rule rule;
  rule.name = "gpu";
  rule.rows.min = rows;
  rule.targets = {Target::kMetal, Target::kParallel, Target::kSimd, Target::kScalar};
  policy->rules.insert(policy->rules.begin(), std::move(rule));
}

// Whether a user should hear of it. The named policies are written for all models and machines, a
// tuned one for all models: of theirs, only a target that is not there is worth a word.
bool IsWorthSaying(const PolicyFinding& finding, const CompileModelOptions& options,
                   std::string_view policy) {
  if (finding.is_override || finding.kind == PolicyFinding::Kind::kUnavailable) return true;
  return finding.kind != PolicyFinding::Kind::kFallback && !IsNamedPolicy(options.policy) &&
         policy != kTunedPolicy;
}

absl::Status Report(const PolicyFinding& finding, const CompileModelOptions& options,
                    std::string_view policy) {
  if (options.findings != nullptr) options.findings->push_back(finding);
  if (options.findings == nullptr && !IsWorthSaying(finding, options, policy)) {
    return absl::OkStatus();
  }
  std::string text = finding.is_override
                         ? Describe(finding)
                         : StrCat("policy ", options.policy, ", ", Describe(finding));
  const bool does_nothing = finding.kind == PolicyFinding::Kind::kMatchesNothing ||
                            finding.kind == PolicyFinding::Kind::kShadowed;
  if (does_nothing && options.strict) {
    StrAppend(&text, "; without --strict this is a warning");
    return finding.is_override ? UsageError(text) : absl::InvalidArgumentError(text);
  }
  if (options.findings == nullptr && options.warn) options.warn(text);
  return absl::OkStatus();
}

}  // namespace

std::string DefaultPolicy() { return simd::ChosenLevel().level == nullptr ? "scalar" : "auto"; }

absl::StatusOr<Program> CompileModel(const ModelFile& model, const KernelCatalog& machine,
                                     const CompileModelOptions& options) {
  if (options.chunk < 1 || options.logit_rows < 1) {
    return UsageError(StrCat("a call of ", options.chunk, " tokens with logits of ",
                             options.logit_rows, " rows: both must be at least 1"));
  }
  if (absl::Status skip = CheckSkip(options.skip); !skip.ok()) {
    return UsageError(ToStd(skip.message()));
  }
  ASSIGN_OR_RETURN(Qwen3Config config, ReadQwen3Config(model.gguf()));
  CompileOptions compile;
  ASSIGN_OR_RETURN(compile.policy, LoadPolicy(options.policy));
  RETURN_IF_ERROR(AddOverrides(options, config.layers, &compile.policy));
  compile.fallback = options.strict ? Fallback::kForbidden : Fallback::kAllowed;
  compile.on_finding = [&](const PolicyFinding& finding) {
    return Report(finding, options, compile.policy.name);
  };
  if (options.activations == Policy::Activations::kFloat) {
    compile.policy.activations = Policy::Activations::kFloat;
  }
  ASSIGN_OR_RETURN(compile.machine, LoadMachine(options.machine));
  ASSIGN_OR_RETURN(int64_t context, ContextFor(options, config));
  LowerOptions lower;
  ASSIGN_OR_RETURN(lower.kv_type, KvTypeFor(options, compile.policy));
  lower.extra_results = options.extra_results;
  ASSIGN_OR_RETURN(Graph graph, LowerQwen3(config, model.weights(), lower));
  if (options.on_imported) options.on_imported(graph);
  const std::string too_large =
      machine.WhyTooLarge(Target::kMetal, BytesToHold(model, graph, context));
  const LimitedCatalog limited(machine, Target::kMetal, too_large);
  const KernelCatalog& catalog = too_large.empty() ? machine : limited;
  if (IsNamedPolicy(options.policy)) AddGpuRule(catalog, &compile.policy);
  int64_t chunk = std::min(options.chunk, context);
  compile.symbols[Symbol::kT] = {1, chunk};
  compile.symbols[Symbol::kR] = {1, std::min(options.logit_rows, chunk)};
  compile.symbols[Symbol::kS] = {1, context};
  compile.hash = options.hash;
  compile.skip = options.skip;
  compile.observer = options.observer;
  compile.compile_ms = options.compile_ms;
  absl::StatusOr<Program> program =
      CompileProgram(std::move(graph), model.weights(), catalog, compile);
  if (!absl::IsUnimplemented(program.status()) || options.strict) return program;
  return absl::UnimplementedError(
      StrCat(model.gguf().path(), ": ", ToStd(program.status().message()),
             "; get the model in another type, such as Q8_0, or name another target"));
}

}  // namespace infer
