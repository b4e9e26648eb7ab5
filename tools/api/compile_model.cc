// SPDX-License-Identifier: Apache-2.0
#include "tools/api/compile_model.h"

#include <algorithm>
#include <set>
#include <utility>

#include "backends/simd/levels/choose_level.h"
#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/policy/compat_rules.h"
#include "ir/policy/place_rule.h"
#include "passes/machines.h"
#include "passes/policies.h"
#include "passes/registry.h"
#include "runtime/program_devices.h"
#include "runtime/session.h"
#include "tools/api/error_kind.h"
#include "tools/api/limited_catalog.h"
#include "tools/api/mapped_experts.h"
#include "tools/api/report_finding.h"

namespace infer {
namespace {

constexpr std::string_view kAutoPolicy = "auto";
constexpr std::string_view kGpuRule = "gpu";  // added to auto if there is a GPU

absl::StatusOr<int64_t> ContextFor(const CompileModelOptions& options, const ModelConfig& config) {
  if (options.context < 0) {
    return UsageError(StrCat("a context of ", options.context, " tokens is negative"));
  }
  if (options.context == 0) return std::min(kDefaultContext, config.context);
  if (options.context > config.context) {
    return UsageError(StrCat("a context of ", options.context, " tokens: ", config.name,
                             " was trained for ", config.context,
                             " positions; use at most that many"));
  }
  return options.context;
}

absl::StatusOr<DType> KvTypeFor(const CompileModelOptions& options, const Policy& policy) {
  if (!policy.kv_type) return options.kv_type.value_or(DType::kF16);
  if (options.kv_type && *options.kv_type != *policy.kv_type) {
    return WithAdvice(
        UsageError(StrCat("a cache of ", Name(*options.kv_type), ": policy ", policy.name,
                          " runs with a cache of ", Name(*policy.kv_type))),
        {Advice::kKvType});
  }
  return *policy.kv_type;
}

// Puts all overrides in front of the policy's rules.
absl::Status AddOverrides(const CompileModelOptions& options, int64_t layers, Policy* policy) {
  std::vector<Rule> overrides;
  for (const std::string& text : options.place) {
    absl::StatusOr<Rule> rule = ParsePlaceRule(text);
    if (!rule.ok()) return WithAdvice(AsUsageError(rule.status()), {Advice::kPlace});
    overrides.push_back(*std::move(rule));
  }
  for (const std::string& text : options.tensor_overrides) {
    absl::StatusOr<std::vector<Rule>> rules = ParseTensorOverrides(text);
    if (!rules.ok()) return WithAdvice(AsUsageError(rules.status()), {Advice::kTensorOverride});
    overrides.insert(overrides.end(), rules->begin(), rules->end());
  }
  // Before the rules for layers, which also name the experts.
  if (options.cpu_moe) {
    overrides.push_back(AllExpertsOnCpu());
  } else {
    for (Rule& rule : ExpertsOnCpu(options.cpu_moe_layers)) overrides.push_back(std::move(rule));
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

// Returns the bytes that a device has to hold whatever is placed there: the file's weights, and
// keys and values of all positions. Known before anything is compiled; activations come on top.
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

// Returns why a session of the Program would not fit on the device of `target`, or an empty string
// if it fits or nothing is placed there.
absl::StatusOr<std::string> WhyTooLarge(const Program& program, const KernelCatalog& machine,
                                        Target target) {
  if (!NodesByDevice(program).contains(DeviceOf(target))) return std::string();
  ASSIGN_OR_RETURN(uint64_t cache,
                   PredictCacheBytes(program, {.context = program.symbols[Symbol::kS].max}));
  const Device space = machine.SpaceOf(DeviceOf(target));
  return machine.WhyTooLarge(target, DeviceBytes(program, space, cache));
}

// Makes the policy `auto` use a GPU, if there is one, from the number of rows at which its class of
// device is said to pay off. This is not a rule of the policy file because without a GPU it would
// split regimes for nothing. Rules from the user come before it; a number of layers for the GPU
// takes its place.
void AddGpuRule(const KernelCatalog& catalog, Policy* policy) {
  const std::optional<Target> gpu = GpuOf(catalog);
  const int64_t rows = gpu ? catalog.AutomaticRows(*gpu) : 0;
  if (policy->name != kAutoPolicy || rows == 0) return;
  Rule rule;
  rule.name = kGpuRule;
  rule.rows.min = rows;
  rule.targets = TargetsOn(Device::kCpu);
  rule.targets.insert(rule.targets.begin(), *gpu);
  auto first = std::ranges::find(policy->rules, false, &Rule::is_override);
  policy->rules.insert(first, std::move(rule));
}

absl::Status CheckSizes(const CompileModelOptions& options) {
  if (options.chunk < 1 || options.logit_rows < 1) {
    return UsageError(StrCat("a call of ", options.chunk, " tokens with logits of ",
                             options.logit_rows, " rows: both must be at least 1"));
  }
  return AsUsageError(CheckSkip(options.skip));
}

// What is to be compiled, independent of the machine.
struct Request {
  Graph graph;
  CompileOptions compile;
  bool is_auto = false;  // a GPU takes what no rule of the user's places
};

absl::StatusOr<Request> Prepare(const ModelFile& model, const CompileModelOptions& options) {
  RETURN_IF_ERROR(CheckSizes(options));
  ASSIGN_OR_RETURN(const ModelFamily* family, model.Family());
  ASSIGN_OR_RETURN(ModelConfig config, family->read_config(model.gguf()));
  CompileOptions compile;
  ASSIGN_OR_RETURN(compile.policy, LoadPolicy(options.policy));
  const bool is_auto = IsNamedPolicy(options.policy) && compile.policy.name == kAutoPolicy &&
                       options.gpu_layers == 0;
  RETURN_IF_ERROR(AddOverrides(options, config.layers, &compile.policy));
  compile.fallback = options.strict ? Fallback::kForbidden : Fallback::kAllowed;
  if (options.activations == Policy::Activations::kFloat) {
    compile.policy.activations = Policy::Activations::kFloat;
  }
  ApplyShard(options.shard, &compile.policy);
  compile.policy.invariant = options.invariant.value_or(compile.policy.invariant);
  ASSIGN_OR_RETURN(compile.machine, LoadMachine(options.machine));
  ASSIGN_OR_RETURN(int64_t context, ContextFor(options, config));
  LowerOptions lower;
  ASSIGN_OR_RETURN(lower.kv_type, KvTypeFor(options, compile.policy));
  lower.extra_results = options.extra_results;
  lower.vectors = options.vectors;
  ASSIGN_OR_RETURN(Graph graph, family->lower(model.gguf(), model.weights(), lower));
  if (options.on_imported) options.on_imported(graph);
  const int64_t sequences = options.sequences;
  const int64_t chunk = std::max(std::min(options.chunk, context * sequences), sequences);
  compile.symbols[Symbol::kT] = {1, chunk};
  compile.symbols[Symbol::kR] = {1, std::min(std::max(options.logit_rows, sequences), chunk)};
  compile.symbols[Symbol::kS] = {1, context * sequences};
  compile.sequences = sequences;
  compile.candidates = options.candidates;
  compile.hash = options.hash;
  compile.skip = options.skip;
  compile.observer = options.observer;
  compile.compile_ms = options.compile_ms;
  return Request{std::move(graph), std::move(compile), is_auto};
}

// A Program for a machine, and the findings about the policy on it.
struct Attempt {
  absl::StatusOr<Program> program = absl::UnknownError("not compiled");
  std::vector<PolicyFinding> findings;
};

// Makes rules for "the GPU" name the one that there is.
void ChooseGpu(std::optional<Target> gpu, Policy* policy) {
  if (!gpu) return;
  for (Rule& rule : policy->rules) {
    if (!std::string_view(rule.name).starts_with(kGpuLayersPrefix)) continue;
    std::erase_if(rule.targets, [&](Target target) {
      return target != *gpu && RecordOf(DeviceOf(target)).is_gpu;
    });
  }
}

Attempt CompileOn(const KernelCatalog& catalog, const ModelFile& model, const Request& request,
                  std::optional<Target> gpu) {
  Attempt attempt;
  CompileOptions compile = request.compile;
  if (request.is_auto) AddGpuRule(catalog, &compile.policy);
  ChooseGpu(gpu, &compile.policy);
  compile.on_finding = [&](const PolicyFinding& finding) {
    attempt.findings.push_back(finding);
    return absl::OkStatus();
  };
  attempt.program = CompileProgram(request.graph.Clone(), model.weights(), catalog, compile);
  return attempt;
}

// Adds advice to the error about a node that no target can run.
absl::StatusOr<Program> Advised(absl::StatusOr<Program> program, const ModelFile& model,
                                const CompileModelOptions& options) {
  if (options.strict) return program;
  const std::string_view what = ToStd(program.status().message());
  if (absl::IsUnimplemented(program.status())) {
    return WithMessage(
        program.status(),
        StrCat(model.gguf().path(), ": ", what,
               "; use the model in another type, such as Q8_0, or choose another target"));
  }
  if (absl::IsUnavailable(program.status())) {
    return WithMessage(program.status(),
                       StrCat("policy ", options.policy, ": ", what,
                              "; add another target after it or choose another policy"));
  }
  return program;
}

bool ExpertsStayMapped(const ModelFile& model, const Request& request,
                       const CompileModelOptions& options) {
  if (options.no_pack_experts) return true;
  const int64_t positions = request.compile.symbols[Symbol::kS].max;
  const std::string why = WhyExpertsStayMapped(
      request.graph, BytesToHold(model, request.graph, positions), ReadMachineMemory());
  if (why.empty()) return false;
  if (options.warn) {
    options.warn(StrCat(why,
                        "; the experts are read from the mapped file, which is slower; a "
                        "smaller type or context may fit"));
  }
  return true;
}

}  // namespace

std::string DefaultPolicy() { return simd::ChosenLevel().level == nullptr ? "scalar" : "auto"; }

void ApplyShard(const ShardRequest& request, Policy* policy) {
  if (request.ranks != 0) policy->shard.ranks = static_cast<int32_t>(request.ranks);
  if (request.mode) policy->shard.mode = *request.mode;
}

absl::StatusOr<Program> CompileModel(const ModelFile& model, const KernelCatalog& machine,
                                     const CompileModelOptions& options) {
  ASSIGN_OR_RETURN(Request request, Prepare(model, options));
  const KernelCatalog& all = machine.For(request.compile.policy.activations);
  const MappedExpertsCatalog without_packed_experts(all);
  const bool mapped = ExpertsStayMapped(model, request, options);
  const KernelCatalog& whole = mapped ? without_packed_experts : all;
  const std::optional<Target> gpu = GpuOf(machine);
  std::string too_large;
  // Rules may place less than the whole model on the GPU; then only the Program says how much.
  if (gpu && request.is_auto &&
      std::ranges::none_of(request.compile.policy.rules, &Rule::is_override)) {
    const int64_t positions = request.compile.symbols[Symbol::kS].max;
    too_large = machine.WhyTooLarge(*gpu, BytesToHold(model, request.graph, positions));
  }
  Attempt attempt;
  if (too_large.empty()) {
    attempt = CompileOn(whole, model, request, gpu);
    if (gpu && attempt.program.ok()) {
      ASSIGN_OR_RETURN(too_large, WhyTooLarge(*attempt.program, machine, *gpu));
    }
  }
  if (!too_large.empty()) {
    attempt = CompileOn(LimitedCatalog(whole, *gpu, too_large), model, request, gpu);
    if (request.is_auto && machine.AutomaticRows(*gpu) > 0) {
      attempt.findings.insert(attempt.findings.begin(),
                              {PolicyFinding::Kind::kUnavailable, std::string(kGpuRule), false,
                               StrCat(Name(*gpu), " is unavailable: ", too_large,
                                      "; the whole model runs on the cpu instead")});
    }
  }
  for (const PolicyFinding& finding : attempt.findings) {
    RETURN_IF_ERROR(ReportFinding(finding, options, request.compile.policy.name));
  }
  return Advised(std::move(attempt.program), model, options);
}

}  // namespace infer
