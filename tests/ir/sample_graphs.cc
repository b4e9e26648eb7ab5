// SPDX-License-Identifier: Apache-2.0
#include "tests/ir/sample_graphs.h"

#include <utility>

#include "ir/graph/builder.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "ir/graph/target.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

Placement FullPlacement(const Node& node) {
  Placement placement;
  placement.target = Target::kSimd;
  placement.kernel = std::string(node.op().name) + "_simd";
  placement.kernel_record = {.partition = {.domain = PartitionDomain::kRows,
                                           .extent = {.cr = 1},
                                           .granule = 2,
                                           .own_inputs = {0},
                                           .own_results = {0}},
                             .weight_layouts = {"", "gguf"},
                             .workspace_bytes = 640,
                             .scratch_bytes = 64,
                             .numerics = "level int8x32",
                             .numerics_from = 17};
  placement.rule = "large";
  placement.source = PlacementSource::kOverride;
  placement.terms = {{"rows", ">=", 1, 1, 512}, {"weight_bytes", "<=", 1e9, 0.125, 3e20}};
  placement.rejected = {{Target::kScalar, Rejected::Code::kLowerInRule, ""},
                        {Target::kMetal, Rejected::Code::kUnavailable, "no \"metal\" here\n"}};
  placement.cost = CostOf(node);
  placement.cost.bytes.cr = 3.25;
  placement.estimate_ns_min = 12.5;
  placement.estimate_ns_max = 1e6;
  return placement;
}

void Place(Graph& graph) {
  for (Node* node : graph.nodes()) {
    if (node->Is(ops::kInput)) continue;
    // One node with everything, the others with nothing but a target.
    node->set_placement(node->Is(ops::kRmsNorm) ? FullPlacement(*node) : Placement{});
  }
}

// Three segments, one with a copy and one in the memory of another device, whatever the placements
// say.
Plan ScheduleOf(const Graph& graph) {
  Plan plan;
  plan.segments.resize(3);
  plan.segments[1].device = Device::kMetal;
  plan.segments[2].device = Device::kMetal;
  plan.segments[2].shared_space = Device::kCpu;
  int32_t position = 0;
  for (const Node* node : graph.nodes()) {
    if (!node->Is(ops::kInput) && !node->op().traits.weight) {
      Step step;
      step.node = position;
      step.mode = static_cast<StepMode>(position % 2);
      step.barrier_after = position % 2 == 0;
      step.workspace_offset = static_cast<uint64_t>(position) * 64;
      step.workspace_bytes = 64;
      plan.segments[position % 2].steps.push_back(step);
    }
    ++position;
  }
  Step copy;
  copy.copy = CopyStep{.value = {0, 0}, .from = Device::kCpu, .to = Device::kMetal};
  plan.segments[1].steps.push_back(copy);
  plan.segments[2].waits = {Device::kMetal};
  plan.waits = {Device::kMetal, Device::kCpu};
  return plan;
}

void AddSlots(const Graph& graph, Plan& plan) {
  int32_t position = 0;
  for (const Node* node : graph.nodes()) {
    for (int i = 0; i < node->num_results(); ++i) {
      Slot slot;
      slot.value = {position, i};
      slot.space = static_cast<Device>(position % 2);
      slot.offset = static_cast<uint64_t>(position) << 40;
      slot.bytes = 4096;
      slot.first_step = position;
      slot.last_step = position + 2;
      if (position > 3) slot.alias_of = ValueRef{position - 1, 0};
      plan.slots.push_back(slot);
    }
    ++position;
  }
  plan.arenas = {{Device::kCpu, 1 << 20, 4096, 1 << 19}, {Device::kMetal, 0, 0, 0}};
}

}  // namespace

Graph SampleTextGraph(Stage stage) {
  Graph graph("sample");
  Value tokens = graph.AddInput("tokens", ValueType::Tensor(DType::kI32, {Symbol::kT}))->output();
  Value batch = graph.AddInput("batch", ValueType::Batch())->output();
  GraphBuilder b(&graph);
  Value table =
      ops::WeightRef(b, "token_embd.weight", ValueType::Tensor(DType::kQ8_0, {4096, 256}));
  Value gain = ops::WeightRef(b, "output_norm.weight", ValueType::F32({256}));
  Value cache = ops::KvState(b, 0, ValueType::Kv(DType::kF16, 2, 64));
  cache.node->result().name = "kv.0";
  Value x = ops::Embed(b.In("embed"), table, tokens);
  Value heads = ops::Reshape(b.In("layer.0/attn/heads"), x, {0, 4, 64});
  Value keys = ops::SliceColumns(b.In("layer.0/attn/k", false), x, 0, 128);
  Value stored = ops::KvWrite(b.In("layer.0/attn/store"), cache, keys, keys, batch);
  Value attended = ops::Attention(b.In("layer.0/attn"), heads, stored, batch, 0.125);
  Value sum = ops::Add(b.In("layer.0/attn"), x, attended);
  sum.node->set_merged_scopes({"layer.0/a", "layer.0/b"});
  Value rows = ops::SelectRows(b.In(""), sum, batch);
  Value normed = ops::RmsNorm(b.In("norm"), rows, gain, 1e-6);
  Value logits = ops::Linear(b.In("logits"), normed, table);
  auto [token, probability] = ops::Argmax(b.In("pick"), logits);
  probability.node->result(1).origin = "probability";
  graph.AddResult(logits);
  graph.AddResult(token);

  graph.set_stage(stage);
  if (stage == Stage::kImported) return graph;
  SymbolRanges symbols;
  symbols[Symbol::kT] = {1, 512};
  symbols[Symbol::kR] = {1, 1};
  symbols[Symbol::kS] = {1, 4096};
  graph.set_symbols(symbols);
  if (stage >= Stage::kPlaced) Place(graph);
  if (stage >= Stage::kScheduled) {
    Plan plan = ScheduleOf(graph);
    if (stage >= Stage::kPlanned) AddSlots(graph, plan);
    graph.set_plan(std::move(plan));
  }
  return graph;
}

}  // namespace infer
