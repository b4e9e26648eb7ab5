// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/traced_steps.h"

#include <span>

#include "ir/base/strings.h"
#include "passes/node_facts.h"
#include "runtime/kernel_registry.h"
#include "tools/api/report/layer_groups.h"

namespace infer {
namespace {

std::string TypesAt(std::span<const ValueType> types, const SymbolValues& symbols) {
  std::string text;
  for (ValueType type : types) {
    Shape& shape = type.tensor.shape;
    for (int i = 0; i < shape.rank(); ++i) shape.set_dim(i, shape.dim(i).At(symbols));
    StrAppend(&text, text.empty() ? "" : ", ", ToString(type));
  }
  return text;
}

void NoteSymbols(std::span<const ValueType> types, TracedStep* step) {
  for (const ValueType& type : types) {
    const Shape& shape = type.tensor.shape;
    step->uses_tokens |= shape.Uses(Symbol::kT) || shape.Uses(Symbol::kR);
    step->uses_context |= shape.Uses(Symbol::kS);
  }
}

}  // namespace

std::vector<TracedStep> TracedSteps(const Regime& regime) {
  const std::vector<uint64_t> ids = NodeIds(regime.graph);
  const std::vector<Node*> nodes = regime.graph.nodes();
  std::vector<TracedStep> traced;
  int32_t number = 0;
  for (const Segment& segment : regime.graph.plan()->segments) {
    for (const Step& step : segment.steps) {
      const int32_t this_step = number++;
      if (step.node < 0 || nodes[step.node]->placement()->kernel == kViewKernel) continue;
      TracedStep& made = traced.emplace_back();
      made.node = nodes[step.node];
      made.number = this_step;
      made.id = ids[step.node];
      made.mode = step.mode;
      made.layer = LayerOf(made.node->scope());
      const std::string_view place = WithoutLayer(made.node->scope());
      made.name = StrCat(place, place.empty() ? "" : " ", made.node->op().name);
      NoteSymbols(made.node->InputTypes(), &made);
      NoteSymbols(made.node->ResultTypes(), &made);
    }
  }
  return traced;
}

std::string InputsAt(const Node& node, const SymbolValues& symbols) {
  return TypesAt(node.InputTypes(), symbols);
}

std::string ResultsAt(const Node& node, const SymbolValues& symbols) {
  return TypesAt(node.ResultTypes(), symbols);
}

int64_t KvBytesPerPosition(const Program& program) {
  int64_t bytes = 0;
  for (const State& state : program.states) {
    const int64_t blocks = state.head_dim / Info(state.dtype).block_elements;
    bytes += 2 * state.kv_heads * blocks * Info(state.dtype).block_bytes;
  }
  return bytes;
}

}  // namespace infer
