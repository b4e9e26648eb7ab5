// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/traced_steps.h"

#include <span>

#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "ir/graph/plan.h"
#include "passes/node_facts.h"
#include "runtime/kernel_registry.h"
#include "runtime/profile.h"
#include "tools/report/layer_groups.h"

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
      const int32_t position = step.copy ? step.copy->value.node : step.node;
      const Node& node = *nodes[position];
      if (!step.copy && node.placement()->kernel == kViewKernel) continue;
      TracedStep& made = traced.emplace_back();
      made.node = &node;
      made.copy = step.copy ? &*step.copy : nullptr;
      made.device = segment.device;
      made.is_queued = segment.is_queued();
      made.number = this_step;
      made.id = step.copy ? CopyId(ids[position], *step.copy) : ids[position];
      made.mode = step.mode;
      made.layer = LayerOf(node.scope());
      const std::string place = NameInAnyLayer(WithoutLayer(NodeName(node)));
      made.name = StrCat(place, place.empty() ? "" : " ", step.copy ? "copy" : node.op().name);
      if (!step.copy) NoteSymbols(node.InputTypes(), &made);
      NoteSymbols(node.ResultTypes(), &made);
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

std::string CopiedAt(const TracedStep& step, const SymbolValues& symbols) {
  return TypesAt({&step.node->result(step.copy->value.result).type, 1}, symbols);
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
