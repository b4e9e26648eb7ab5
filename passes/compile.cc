// SPDX-License-Identifier: Apache-2.0
#include "passes/compile.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/ops/attributes.h"
#include "ir/verify/verifier.h"
#include "passes/collect_kernel_choices.h"
#include "passes/cut_regimes.h"
#include "passes/invariant_catalog.h"
#include "passes/machines.h"
#include "passes/passes.h"
#include "passes/policies.h"
#include "passes/registry.h"
#include "passes/state_homes.h"

namespace infer {
namespace {

// Returns the weights that the regimes' nodes read, by name, with the layouts that their kernels
// require and the spaces that these work in.
absl::StatusOr<std::vector<Weight>> CollectWeights(const std::vector<Regime>& regimes,
                                                   const WeightSource& source,
                                                   const KernelCatalog& catalog) {
  struct Wanted {
    const Node* node = nullptr;
    std::set<std::string> layouts;
    std::set<Device> spaces;
  };
  std::map<std::string, Wanted> weights_wanted;
  for (const Regime& regime : regimes) {
    for (const Node* node : regime.graph.nodes()) {
      // Even if no node reads it.
      if (node->op().traits.weight) weights_wanted[WeightKey(*node)].node = node;
      if (!node->placement()) continue;
      const std::vector<std::string>& layouts = node->placement()->kernel_record.weight_layouts;
      for (size_t i = 0; i < node->inputs().size(); ++i) {
        const Node& input = *node->inputs()[i].node;
        if (!input.op().traits.weight) continue;
        Wanted& wanted = weights_wanted[WeightKey(input)];
        wanted.spaces.insert(catalog.SpaceOf(DeviceOf(node->placement()->target)));
        if (i < layouts.size()) wanted.layouts.insert(layouts[i]);
      }
    }
  }
  std::vector<Weight> weights;
  for (const auto& [name, wanted] : weights_wanted) {
    const std::string& file_name = WeightName(*wanted.node);
    const WeightInfo* info = source.Find(file_name);
    if (info == nullptr) {
      return absl::InvalidArgumentError(StrCat("weight ", file_name, " is not in the model file"));
    }
    const WeightSlice slice = SliceOf(*wanted.node);
    Weight weight{.name = name,
                  .type = TypeOf(*info),
                  .file = info->file,
                  .offset = info->offset,
                  .bytes = info->bytes / static_cast<uint64_t>(std::max(slice.parts, 1)),
                  .sample_hash = 0,
                  .full_hash = std::nullopt,
                  .layouts = {wanted.layouts.begin(), wanted.layouts.end()},
                  .spaces = {wanted.spaces.begin(), wanted.spaces.end()},
                  .slice = slice};
    if (slice.parts != 0) {
      const int64_t whole = weight.type.dim(slice.axis).value();
      weight.type.shape.set_dim(slice.axis, whole / slice.parts);
    }
    weights.push_back(std::move(weight));
  }
  return weights;
}

// Reads the model file.
void HashWeights(const WeightSource& source, HashMode hash, std::vector<Weight>* weights) {
  if (hash == HashMode::kNone) return;
  for (Weight& weight : *weights) {
    const WeightInfo& info = *source.Find(weight.FileName());
    weight.sample_hash = source.SampleHash(info);
    if (hash == HashMode::kFull) weight.full_hash = source.FullHash(info);
  }
}

std::vector<State> CollectStates(const Graph& graph, const StateHomes& homes) {
  std::vector<State> states;
  for (const Node* node : graph.nodes()) {
    if (!node->op().traits.state) continue;
    const TensorType& kv = node->result().type.tensor;
    int32_t id = static_cast<int32_t>(StateId(*node));
    State state;
    state.id = id;
    state.layer = id;
    state.kv_heads = kv.dim(0).value();
    state.head_dim = kv.dim(1).value();
    state.dtype = kv.dtype;
    if (auto home = homes.find(id); home != homes.end()) state.home_space = home->second;
    states.push_back(std::move(state));
  }
  std::sort(states.begin(), states.end(),
            [](const State& a, const State& b) { return a.id < b.id; });
  return states;
}

class Stopwatch {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// Returns the same observer, which also adds the time it takes to `ms`.
PassObserver Timed(const PassObserver& observer, double* ms) {
  PassObserver timed;
  if (observer.before) {
    timed.before = [&observer, ms](std::string_view pass, int32_t regime, const Graph& graph) {
      Stopwatch watch;
      observer.before(pass, regime, graph);
      *ms += watch.ms();
    };
  }
  if (observer.after) {
    timed.after = [&observer, ms](const PassRecord& record, const Graph& graph, double pass_ms) {
      Stopwatch watch;
      observer.after(record, graph, pass_ms);
      *ms += watch.ms();
    };
  }
  return timed;
}

// Records overrides by name and everything else as the policy's file has it.
void RecordPolicy(const Policy& policy, Program* program) {
  program->policy = policy;
  std::erase_if(program->policy.rules, [](const Rule& rule) { return rule.is_override; });
  for (const Rule& rule : policy.rules) {
    if (rule.is_override) program->overrides.push_back(rule.name);
  }
}

// Legalize keeps the stage, but it can be skipped only if it would do nothing.
absl::Status CheckNothingToLegalize(const Graph& graph, PassContext& context) {
  Graph trial = graph.Clone();
  ASSIGN_OR_RETURN(bool changed, MakeLegalize()->Run(trial, context));
  if (!changed) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("pass legalize cannot be skipped with policy ", context.policy->name,
             ": it expands composite ops that the policy wants in parts or no target runs whole (",
             graph.num_nodes(), " nodes become ", trial.num_nodes(), ")"));
}

absl::StatusOr<std::vector<Regime>> CompileRegimes(const Graph& graph, PassContext& context,
                                                   const CompileOptions& options,
                                                   const PassObserver& observer,
                                                   std::vector<PassRecord>* records) {
  ASSIGN_OR_RETURN(std::vector<Range> intervals,
                   CutRegimes(graph, *context.policy, *context.catalog));
  ASSIGN_OR_RETURN(PassPipeline each,
                   PassPipeline::Create(RegimePasses(options.skip), Stage::kBound));
  bool skips_legalize = std::ranges::find(options.skip, "legalize") != options.skip.end();
  std::vector<Regime> regimes;
  for (const Range& tokens : intervals) {
    Graph copy = graph.Clone();
    copy.set_symbols(RegimeSymbols(options.symbols, tokens));
    if (skips_legalize) RETURN_IF_ERROR(CheckNothingToLegalize(copy, context));
    int32_t number = static_cast<int32_t>(regimes.size()) + 1;
    RETURN_IF_ERROR(each.Run(copy, context, observer, records, number));
    regimes.push_back({tokens.min, tokens.max, std::move(copy)});
  }
  return regimes;
}

}  // namespace

absl::StatusOr<Program> CompileProgram(Graph graph, const WeightSource& weights,
                                       const KernelCatalog& machine,
                                       const CompileOptions& options) {
  Policy policy = WithCollectives(options.policy);
  CountRegexSteps(&policy);
  const KernelCatalog& offered = machine.For(policy.activations);
  StateHomes homes;
  const HomedCatalog catalog(offered, homes);
  Stopwatch watch;
  RETURN_IF_ERROR(CheckSkip(options.skip));
  RETURN_IF_ERROR(Verify(graph));
  Program program;
  PassContext context{options.symbols, &policy, &catalog,
                      options.machine ? &*options.machine : nullptr};
  context.fallback = options.fallback;
  context.candidates = options.candidates;
  double observed_ms = 0;
  PassObserver observer = Timed(options.observer, &observed_ms);
  ASSIGN_OR_RETURN(PassPipeline once,
                   PassPipeline::Create(GraphPasses(options.skip), Stage::kImported));
  RETURN_IF_ERROR(once.Run(graph, context, observer, &program.passes));
  homes = ChooseHomes(graph, policy, offered);
  program.states = CollectStates(graph, homes);
  std::optional<InvariantCatalog> invariant;
  if (policy.invariant) {
    ASSIGN_OR_RETURN(std::vector<Range> intervals, CutRegimes(graph, policy, catalog));
    std::vector<SymbolRanges> regimes;
    for (const Range& tokens : intervals) regimes.push_back(RegimeSymbols(options.symbols, tokens));
    invariant.emplace(catalog, policy, std::move(regimes));
    context.catalog = &*invariant;
  }
  ASSIGN_OR_RETURN(program.regimes,
                   CompileRegimes(graph, context, options, observer, &program.passes));
  if (options.on_finding) {
    const std::vector<PolicyFinding> findings = CheckPolicy(graph, program.regimes, policy);
    RETURN_IF_ERROR(CheckRegexSteps(policy));
    for (const PolicyFinding& finding : findings) RETURN_IF_ERROR(options.on_finding(finding));
  }
  RETURN_IF_ERROR(CheckRegexSteps(policy));

  program.model = weights.model_ref();
  RecordPolicy(policy, &program);
  program.symbols = options.symbols;
  program.sequences = options.sequences;
  if (options.machine) program.machine = RecordOf(*options.machine);
  RETURN_IF_ERROR(CollectKernelChoices(*context.catalog, &program));
  ASSIGN_OR_RETURN(program.weights, CollectWeights(program.regimes, weights, catalog));
  RETURN_IF_ERROR(Verify(program));
  if (options.compile_ms != nullptr) *options.compile_ms = watch.ms() - observed_ms;
  HashWeights(weights, options.hash, &program.weights);
  return program;
}

}  // namespace infer
