// SPDX-License-Identifier: Apache-2.0
#include "passes/compile.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ir/status_macros.h"
#include "ir/strings.h"
#include "ir/verifier.h"

namespace infer {
namespace {

// The weights that the regimes' nodes read, by name, with the layouts that their kernels want.
absl::StatusOr<std::vector<Weight>> CollectWeights(const std::vector<Regime>& regimes,
                                                   const WeightSource& source,
                                                   const KernelCatalog& catalog, HashMode hash) {
  std::map<std::string, std::set<std::string>> layouts;
  for (const Regime& regime : regimes) {
    for (const Node* node : regime.graph.nodes()) {
      if (node->op().traits.weight) layouts[node->attr<std::string>(0)];  // even if nobody reads it
      if (!node->placement()) continue;
      KernelAnswer answer = catalog.Find(*node, node->placement()->target, regime.graph.symbols());
      for (Value input : node->inputs()) {
        if (!input.node->op().traits.weight) continue;
        std::set<std::string>& wanted = layouts[input.node->attr<std::string>(0)];
        if (answer.kernel) wanted.insert(answer.kernel->weight_layout);
      }
    }
  }
  std::vector<Weight> weights;
  for (const auto& [name, wanted] : layouts) {
    const WeightInfo* info = source.Find(name);
    if (info == nullptr) {
      return absl::InvalidArgumentError(StrCat("weight ", name, " is not in the model file"));
    }
    Weight weight{.name = name,
                  .type = TypeOf(*info),
                  .file = info->file,
                  .offset = info->offset,
                  .bytes = info->bytes,
                  .sample_hash = hash == HashMode::kNone ? 0 : source.SampleHash(*info),
                  .full_hash = std::nullopt,
                  .slice = std::nullopt,
                  .layouts = {wanted.begin(), wanted.end()}};
    if (hash == HashMode::kFull) weight.full_hash = source.FullHash(*info);
    weights.push_back(std::move(weight));
  }
  return weights;
}

std::vector<State> CollectStates(const Graph& graph) {
  std::vector<State> states;
  for (const Node* node : graph.nodes()) {
    if (!node->op().traits.state) continue;
    const TensorType& kv = node->result().type.tensor;
    int32_t id = static_cast<int32_t>(node->attr<int64_t>(0));
    State state;
    state.id = id;
    state.layer = id;
    state.kv_heads = kv.dim(0).value();
    state.head_dim = kv.dim(1).value();
    state.dtype = kv.dtype;
    states.push_back(std::move(state));
  }
  std::sort(states.begin(), states.end(),
            [](const State& a, const State& b) { return a.id < b.id; });
  return states;
}

}  // namespace

absl::StatusOr<Program> CompileProgram(Graph graph, const WeightSource& weights,
                                       const KernelCatalog& catalog,
                                       const CompileOptions& options) {
  RETURN_IF_ERROR(Verify(graph));
  Program program;
  PassContext context{options.symbols, &options.policy, &catalog};
  ASSIGN_OR_RETURN(PassPipeline once, PassPipeline::Create(GraphPasses(), Stage::kImported));
  RETURN_IF_ERROR(once.Run(graph, context, options.observer, &program.passes));
  program.states = CollectStates(graph);

  ASSIGN_OR_RETURN(PassPipeline each, PassPipeline::Create(RegimePasses(), Stage::kBound));
  RETURN_IF_ERROR(each.Run(graph, context, options.observer, &program.passes));
  const Range& tokens = options.symbols[Symbol::kT];
  program.regimes.push_back({tokens.min, tokens.max, std::move(graph)});

  program.model = weights.model_ref();
  program.policy = options.policy;
  program.symbols = options.symbols;
  ASSIGN_OR_RETURN(program.weights,
                   CollectWeights(program.regimes, weights, catalog, options.hash));
  RETURN_IF_ERROR(Verify(program));
  return program;
}

}  // namespace infer
